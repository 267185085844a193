-- The storage: tables in the singular, free to change with the schema's version. The public face is the views, in
-- 2-views.sql. Everything here can be read by any SQLite from 3.26 on.

PRAGMA application_id = 0x4F504354; -- 'OPCT'
PRAGMA user_version = 100;          -- 100 times the schema's major version, plus its minor

-- One row for each import that changed something.
CREATE TABLE import (
    import_id     INTEGER PRIMARY KEY,
    imported_at   TEXT NOT NULL    -- UTC, ISO 8601
        CONSTRAINT imported_at_is_a_time CHECK (imported_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    origin        TEXT NOT NULL,   -- the paths as they were given
    importer      TEXT NOT NULL,   -- the version of the importer
    added         INTEGER NOT NULL CONSTRAINT added_is_a_count CHECK (added >= 0),
    updated       INTEGER NOT NULL CONSTRAINT updated_is_a_count CHECK (updated >= 0),
    unchanged     INTEGER NOT NULL CONSTRAINT unchanged_is_a_count CHECK (unchanged >= 0),
    removed       INTEGER NOT NULL CONSTRAINT removed_is_a_count CHECK (removed >= 0),
    rules_changed INTEGER NOT NULL CONSTRAINT rules_changed_is_a_count CHECK (rules_changed >= 0)
);

-- What an import did to a family, and the family's source from then on. Every source that ever stood is kept here.
CREATE TABLE change (
    change_id INTEGER PRIMARY KEY,
    arch      TEXT NOT NULL,
    import_id INTEGER NOT NULL CONSTRAINT change_is_of_an_import REFERENCES import,
    change    TEXT NOT NULL CONSTRAINT change_is_a_known_one CHECK (change IN ('added', 'updated', 'removed')),
    source    TEXT,                -- the profile file, byte for byte; null for one removed
    CONSTRAINT import_changes_a_family_once UNIQUE (arch, import_id),
    CONSTRAINT source_is_kept CHECK ((change = 'removed') = (source IS NULL))
);

-- One row for each family. A run field or model fact that the family does not state is null.
CREATE TABLE profile (
    arch         TEXT NOT NULL PRIMARY KEY
        CONSTRAINT arch_is_a_family_name CHECK (length(arch) BETWEEN 1 AND 64 AND arch NOT GLOB '*[^-A-Za-z0-9._]*' AND arch NOT GLOB '[-.]*'),
    default_kind TEXT,
    v_head_dim   INTEGER CONSTRAINT v_head_dim_is_positive CHECK (typeof(v_head_dim) IN ('null', 'integer') AND v_head_dim >= 1),
    grad_bytes                 INTEGER CONSTRAINT grad_bytes_is_a_size CHECK (typeof(grad_bytes) IN ('null', 'integer') AND grad_bytes >= 0),
    optimizer_state_bytes      INTEGER CONSTRAINT optimizer_state_bytes_is_a_size CHECK (typeof(optimizer_state_bytes) IN ('null', 'integer') AND optimizer_state_bytes >= 0),
    optimizer_states           INTEGER CONSTRAINT optimizer_states_is_a_count CHECK (typeof(optimizer_states) IN ('null', 'integer') AND optimizer_states >= 1),
    main_param_bytes           INTEGER CONSTRAINT main_param_bytes_is_a_size CHECK (typeof(main_param_bytes) IN ('null', 'integer') AND main_param_bytes >= 0),
    norm_bytes                 INTEGER CONSTRAINT norm_bytes_is_a_size CHECK (typeof(norm_bytes) IN ('null', 'integer') AND norm_bytes >= 0),
    dropout_bytes              INTEGER CONSTRAINT dropout_bytes_is_a_size CHECK (typeof(dropout_bytes) IN ('null', 'integer') AND dropout_bytes >= 0),
    grad_accumulation          INTEGER CONSTRAINT grad_accumulation_is_a_flag CHECK (typeof(grad_accumulation) IN ('null', 'integer') AND grad_accumulation IN (0, 1)),
    shard_activations          INTEGER CONSTRAINT shard_activations_is_a_flag CHECK (typeof(shard_activations) IN ('null', 'integer') AND shard_activations IN (0, 1)),
    loss_parallel              INTEGER CONSTRAINT loss_parallel_is_a_flag CHECK (typeof(loss_parallel) IN ('null', 'integer') AND loss_parallel IN (0, 1)),
    reshard_params             INTEGER CONSTRAINT reshard_params_is_a_flag CHECK (typeof(reshard_params) IN ('null', 'integer') AND reshard_params IN (0, 1)),
    deferred_grad_accumulation INTEGER CONSTRAINT deferred_grad_accumulation_is_a_flag CHECK (typeof(deferred_grad_accumulation) IN ('null', 'integer') AND deferred_grad_accumulation IN (0, 1)),
    overlapped_grad_reduce     INTEGER CONSTRAINT overlapped_grad_reduce_is_a_flag CHECK (typeof(overlapped_grad_reduce) IN ('null', 'integer') AND overlapped_grad_reduce IN (0, 1)),
    change_id    INTEGER NOT NULL CONSTRAINT profile_has_a_source REFERENCES change,
    CONSTRAINT default_is_a_kind_of_the_profile FOREIGN KEY (arch, default_kind) REFERENCES kind (arch, name) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

-- The layer kinds of each family, with the op vector. A null count is refused: absent is not zero.
CREATE TABLE kind (
    arch      TEXT NOT NULL CONSTRAINT kind_is_of_a_family REFERENCES profile DEFERRABLE INITIALLY DEFERRED,
    name      TEXT NOT NULL CONSTRAINT kind_has_a_name CHECK (length(name) >= 1),
    position  INTEGER NOT NULL CONSTRAINT position_is_from_zero CHECK (typeof(position) = 'integer' AND position >= 0),
    attention TEXT NOT NULL CONSTRAINT attention_is_a_flavour CHECK (attention IN ('full', 'linear')),
    ffn       TEXT CONSTRAINT ffn_is_a_flavour CHECK (ffn IS NULL OR ffn IN ('dense', 'moe')),
    attMM     INTEGER CONSTRAINT attMM_is_stated NOT NULL CONSTRAINT attMM_is_a_count CHECK (typeof(attMM) = 'integer' AND attMM >= 0),
    attBMM    INTEGER CONSTRAINT attBMM_is_stated NOT NULL CONSTRAINT attBMM_is_a_count CHECK (typeof(attBMM) = 'integer' AND attBMM >= 0),
    ffMM      INTEGER CONSTRAINT ffMM_is_stated NOT NULL CONSTRAINT ffMM_is_a_count CHECK (typeof(ffMM) = 'integer' AND ffMM >= 0),
    softmax   INTEGER CONSTRAINT softmax_is_stated NOT NULL CONSTRAINT softmax_is_a_count CHECK (typeof(softmax) = 'integer' AND softmax >= 0),
    dropout   INTEGER CONSTRAINT dropout_is_stated NOT NULL CONSTRAINT dropout_is_a_count CHECK (typeof(dropout) = 'integer' AND dropout >= 0),
    normOp    INTEGER CONSTRAINT normOp_is_stated NOT NULL CONSTRAINT normOp_is_a_count CHECK (typeof(normOp) = 'integer' AND normOp >= 0),
    gather    INTEGER CONSTRAINT gather_is_stated NOT NULL CONSTRAINT gather_is_a_count CHECK (typeof(gather) = 'integer' AND gather >= 0),
    headCast  INTEGER CONSTRAINT headCast_is_stated NOT NULL CONSTRAINT headCast_is_a_count CHECK (typeof(headCast) = 'integer' AND headCast >= 0),
    ffAct     INTEGER CONSTRAINT ffAct_is_stated NOT NULL CONSTRAINT ffAct_is_a_count CHECK (typeof(ffAct) = 'integer' AND ffAct >= 0),
    linrec    INTEGER CONSTRAINT linrec_is_stated NOT NULL CONSTRAINT linrec_is_a_count CHECK (typeof(linrec) = 'integer' AND linrec >= 0),
    PRIMARY KEY (arch, name)
) WITHOUT ROWID;

-- How a model's name tells its family (rule 'prefix') and its traits (rule is the trait). Names are lower-cased first.
CREATE TABLE rule (
    rule    TEXT NOT NULL CONSTRAINT rule_is_a_known_one CHECK (rule IN ('prefix', 'qk_norm', 'qkv_bias', 'shared_expert_gate')),
    pattern TEXT NOT NULL CONSTRAINT pattern_can_match CHECK (length(pattern) >= 1 AND pattern NOT GLOB '*[A-Z]*'),
    arch    TEXT CONSTRAINT prefix_names_a_family REFERENCES profile DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (rule, pattern),
    CONSTRAINT prefix_has_a_family CHECK ((rule = 'prefix') = (arch IS NOT NULL))
) WITHOUT ROWID;

-- The words of the domain, explained.
CREATE TABLE term (
    section       TEXT NOT NULL CONSTRAINT section_is_a_known_one CHECK (section IN ('op', 'run', 'model', 'attention', 'ffn', 'trait')),
    position      INTEGER NOT NULL,
    name          TEXT NOT NULL,
    type          TEXT NOT NULL,
    default_value,
    meaning       TEXT NOT NULL,
    PRIMARY KEY (section, position)
) WITHOUT ROWID;
