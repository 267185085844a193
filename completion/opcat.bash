# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Completion of opcat in bash, from 4.2 on. It needs no other package: bash-completion, where it is loaded, splits the
# line (and completes redirections); without it, _opcat_split does.
#
# A catalog comes from anyone. What it holds is compared with what a family's name may be and then offered; it is never
# evaluated, so there is no `eval` and no `compgen -W` here. The functions below share the locals of _opcat.

((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 402)) || return 0

# The options of a command, as its --help lists them; of no command, those that stand before it.
_opcat_options()
{
    case $1 in
    '') options=(--catalog --help --version) ;;
    import) options=(--dry-run --prune --json --catalog --help) ;;
    show) options=(--json --yaml --where --at --catalog --help) ;;
    resolve) options=(--ops --json --catalog --help) ;;
    list | infer | log | info | check) options=(--json --catalog --help) ;;
    diff) options=(--json --help) ;;
    export) options=(--force --catalog --help) ;;
    *) options=() ;;
    esac
}

# The words of the line, and which of them the cursor is in. Readline breaks words at `=` and `:` too; the shell does
# not, so what touches is joined again. COMP_LINE alone shows what touches.
_opcat_split()
{
    local rest=$COMP_LINE piece spaces right i last=-1 joins=
    words=()
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        piece=${COMP_WORDS[i]}
        spaces=${rest%%[![:space:]]*}
        rest=${rest#"$spaces"}
        rest=${rest#"$piece"}
        if ((last >= 0)) && [[ ! $spaces && ($joins || $piece == [=:@]*) ]]; then
            words[last]+=$piece
        else
            words[++last]=$piece
        fi
        joins=
        [[ $piece == *[=:@] ]] && joins=1
        if ((i == COMP_CWORD)); then
            cword=$last cur=${words[last]}
            right=$((${#COMP_LINE} - ${#rest} - COMP_POINT))
            ((right > ${#cur})) && right=${#cur}
            ((right > 0)) && cur=${cur:0:${#cur}-right}
        fi
    done
    [[ ${words[cword - 1]} != [\<\>]* ]] && return
    _opcat_paths -f
    return 1
}

# What a ~ at the start of a word stands for, as `literal`. Another user's folder is asked of the system: the shell
# would have to evaluate the word.
_opcat_home()
{
    case $1 in
    '~') literal=${HOME-} ;;
    '~+') literal=$PWD ;;
    '~-') literal=${OLDPWD-} ;;
    *) IFS=: read -r _ _ _ _ _ literal _ <<<"$(getent passwd -- "${1#'~'}" 2>/dev/null)" ;;
    esac
    [[ $literal ]]
}

# What a word of the line says, as `literal`: its quotes, a ~ at its start and plain variables are read as the shell
# reads them. A command in it is left as it is.
_opcat_literal()
{
    local rest=$1 quote='' char
    literal=
    [[ $rest == '~'* ]] && _opcat_home "${rest%%/*}" && rest=${rest#"${rest%%/*}"}
    while [[ $rest ]]; do
        char=${rest:0:1} rest=${rest:1}
        case $quote$char in
        \\ | \"\\)
            [[ $quote && $rest != [\$\`\"\\]* ]] && literal+=$char && continue
            literal+=${rest:0:1} rest=${rest:1}
            ;;
        \' | \") quote=$char ;;
        \'\' | \"\") quote= ;;
        \$ | \"\$)
            if [[ $rest =~ ^([A-Za-z_][A-Za-z0-9_]*) || $rest =~ ^\{([A-Za-z_][A-Za-z0-9_]*)\} ]]; then
                rest=${rest:${#BASH_REMATCH[0]}} char=${BASH_REMATCH[1]}
                char=${!char-}
            fi
            literal+=$char
            ;;
        *) literal+=$char ;;
        esac
    done
}

# What the line says so far: `command`, `operands` (how many before the cursor), `only_operands` (after --), `value_of`
# (the option whose value the cursor is in), `catalog` (the option as it is handed on).
_opcat_read_line()
{
    local i word next=
    for ((i = 1; i < ${#words[@]}; i++)); do
        word=${words[i]}
        if ((i == cword)); then
            value_of=$next next=
        elif [[ $next || (! $only_operands && $word == --*=*) ]]; then
            [[ $next ]] || { next=${word%%=*} word=${word#*=}; }
            # The last one holds. Bash leaves a ~ after a `=` as it is.
            if [[ $next == --catalog ]]; then
                [[ $word == '~'* && ${words[i]} == --* ]] && word=\\$word
                _opcat_literal "$word"
                catalog=(--catalog "$literal")
            fi
            next=
        elif [[ ! $only_operands && $word == -?* ]]; then
            case $word in
            --) [[ ! $command ]] || ((i > cword)) || only_operands=1 ;;
            --catalog | --ops | --at) next=$word ;;
            esac
        elif ((i < cword)); then
            if [[ $command ]]; then ((++operands)); else command=$word; fi
        fi
    done
}

# Offer those of the words that go on from what is typed.
_opcat_offer()
{
    local word
    for word; do
        [[ $word == "$typed"* ]] && COMPREPLY+=("$word")
    done
}

# Offer the paths that `compgen` finds by these options. It is given what is typed with its quotes, of which readline
# tells it.
_opcat_paths()
{
    local found
    compopt -o filenames 2>/dev/null
    mapfile -t found <<<"$(compgen "$@" -- "$cur")"
    [[ ${found[0]} ]] && COMPREPLY+=("${found[@]}")
}

# What the command answers about the catalog that the line names; nothing where it fails.
_opcat_ask()
{
    local literal program
    _opcat_literal "${words[0]}"
    program=$(type -P -- "$literal" || type -P opcat) || return
    "$program" ${catalog[@]+"${catalog[@]}"} "$@" </dev/null 2>/dev/null
}

# The first column of the list, as far as the second one's heading.
_opcat_offer_families()
{
    local LC_ALL=C line name width=0
    while IFS= read -r line; do
        name=${line:0:width}
        name=${name%"${name##*[! ]}"}
        [[ $name && $name != [.-]* && $name != *[!A-Za-z0-9._-]* ]] && _opcat_offer "$name"
        ((width)) || { line=${line%%KINDS*} && width=${#line}; }
    done <<<"$(_opcat_ask list)"
}

# Newest first, as the command has them.
_opcat_offer_imports()
{
    local line
    compopt -o nosort 2>/dev/null
    while IFS= read -r line; do
        [[ $line =~ ^import\ ([0-9]+)\  ]] && _opcat_offer "${BASH_REMATCH[1]}"
    done <<<"$(_opcat_ask log)"
}

# Offer what may stand as the next operand of the command; fails where none may.
_opcat_offer_operand()
{
    case $command:$operands in
    :0 | help:0) _opcat_offer import list show infer resolve log info check diff export ;;
    show:0 | resolve:0 | log:0) _opcat_offer_families ;;
    import:*) _opcat_paths -f -X '!*.yaml' -o plusdirs ;;
    diff:[01]) _opcat_paths -f ;;
    export:0) _opcat_paths -d ;;
    infer:*) ;; # a model's name, of which there is no list
    *) return 1 ;;
    esac
    return 0
}

_opcat()
{
    # shellcheck disable=SC2034 # _init_completion sets prev
    local IFS=$' \t\n' cur prev words cword literal typed left=''
    local command='' operands=0 only_operands='' value_of='' catalog=() options=() prefix='' i
    COMPREPLY=()
    if declare -F _init_completion >/dev/null; then
        _init_completion -n =:@ || return
    else
        _opcat_split || return
    fi
    # In front of a word, bash counts that one as the word of the cursor.
    [[ $cur ]] || words=("${words[@]:0:cword}" '' "${words[@]:cword}")
    _opcat_read_line
    if [[ ! $value_of && ! $only_operands && $cur == --*=* ]]; then
        value_of=${cur%%=*} cur=${cur#*=}
        [[ $COMP_WORDBREAKS == *=* ]] || prefix=$value_of=
    fi
    _opcat_literal "$cur"
    typed=$literal
    case $value_of in
    --catalog | --ops) _opcat_paths -f ;;
    --at) _opcat_offer_imports ;;
    '')
        if [[ $only_operands || $cur != -* ]] && _opcat_offer_operand; then
            :
        elif [[ ! $only_operands ]]; then
            _opcat_options "$command"
            _opcat_offer ${options[@]+"${options[@]}"}
        fi
        ;;
    esac
    # Readline replaces what follows the last break ($2), which may stand within the word.
    [[ $cur == *"$2" ]] && left=${cur%"$2"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=$prefix${COMPREPLY[i]#"$left"}
    done
}

complete -F _opcat opcat
