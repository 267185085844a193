/* SPDX-License-Identifier: Apache-2.0 */
/* libyaml's events -> a tree, within bounds of its own. */
#include "yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "read_profile.h"
#include "string_table.h"
#include "yaml_bytes.h"

/* What a file may hold. libyaml's time grows with the square of the depth, and memory with the number of values. */
enum { MAX_DEPTH = 64, MAX_NODES = 200000, MAX_ALIASES = 10000, MAX_MERGED = 200000 };

typedef struct anchor {
    const opcat_node *node;
    bool complete; /* not while what it names is still being read */
} anchor;

typedef struct builder {
    yaml_parser_t parser;
    opcat_tree *tree;
    opcat_merging merging;
    const char *file;
    opcat_faults *faults;
    opcat_string_table anchor_places; /* of the anchors' names */
    anchor *anchors;
    size_t anchor_room;
    opcat_node **pending; /* children of collections that are still being read */
    size_t pending_count;
    size_t pending_room;
    size_t node_count;
    size_t alias_count;
    size_t flow_depth;   /* of collections in brackets or braces */
    bool tabs;           /* whether there are any, and so the scalars' places are kept */
    opcat_spans scalars; /* in the order of the file */
    bool stopped;        /* a fault was met after which nothing can be made of the rest */
} builder;

/* ---- Nodes ----------------------------------------------------------------------------------------------- */

static void out_of_memory(builder *self)
{
    self->faults->out_of_memory = true;
    self->stopped = true;
}

static opcat_place place_of(const yaml_mark_t *mark)
{
    return (opcat_place){mark->line + 1, mark->column + 1};
}

static void stop(builder *self, const yaml_mark_t *mark, const char *why)
{
    opcat_faults_add(self->faults, self->file, place_of(mark), "%s", why);
    self->stopped = true;
}

static opcat_node *new_node(builder *self, opcat_node_type type, const yaml_mark_t *mark)
{
    if (self->node_count++ >= MAX_NODES) {
        stop(self, mark, "the file holds more values than a file may, 200000");
        return NULL;
    }
    opcat_node *node = opcat_arena_take(&self->tree->arena, sizeof *node);
    if (!node) {
        out_of_memory(self);
        return NULL;
    }
    *node =
        (opcat_node){.type = type, .line = (uint32_t)mark->line + 1, .column = (uint32_t)mark->column + 1, .text = ""};
    return node;
}

static void push(builder *self, opcat_node *node)
{
    if (self->pending_count == self->pending_room) {
        size_t room = self->pending_room ? self->pending_room * 2 : 64;
        opcat_node **pending = realloc(self->pending, room * sizeof(opcat_node *));
        if (!pending) {
            out_of_memory(self);
            return;
        }
        self->pending = pending;
        self->pending_room = room;
    }
    self->pending[self->pending_count++] = node;
}

/* Keep what an anchor names. An anchor that is there already is refused, as PyYAML does. */
static void name_node(builder *self, const yaml_char_t *name, const opcat_node *node, const yaml_mark_t *mark)
{
    size_t length = name ? strlen((const char *)name) : 0;
    if (!name || self->stopped)
        return;
    if (opcat_string_table_find(&self->anchor_places, (const char *)name, length)) {
        opcat_faults_add(self->faults, self->file, place_of(mark), "not YAML: the anchor &%s is set twice",
                         (const char *)name);
        return;
    }
    size_t place = self->anchor_places.count;
    char *kept = opcat_arena_take(&self->tree->arena, length + 1);
    if (place == self->anchor_room) {
        size_t room = self->anchor_room ? self->anchor_room * 2 : 16;
        anchor *anchors = realloc(self->anchors, room * sizeof *anchors);
        if (anchors) {
            self->anchors = anchors;
            self->anchor_room = room;
        }
    }
    if (!kept || place == self->anchor_room) {
        out_of_memory(self);
        return;
    }
    memcpy(kept, name, length + 1);
    self->anchors[place] = (anchor){node, node->type != OPCAT_NODE_SEQUENCE && node->type != OPCAT_NODE_MAPPING};
    if (!opcat_string_table_add(&self->anchor_places, kept, length, place))
        out_of_memory(self);
}

static void complete(builder *self, const yaml_char_t *name, const opcat_node *node)
{
    if (!name)
        return;
    size_t *place = opcat_string_table_find(&self->anchor_places, (const char *)name, strlen((const char *)name));
    if (place && self->anchors[*place].node == node)
        self->anchors[*place].complete = true;
}

static opcat_node *build_alias(builder *self, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const yaml_mark_t *mark = &event->start_mark;
    size_t *place = opcat_string_table_find(&self->anchor_places, name, strlen(name));
    if (self->alias_count++ >= MAX_ALIASES) {
        stop(self, mark, "the file holds more aliases than a file may, 10000");
        return NULL;
    }
    if (place && self->anchors[*place].complete)
        return (opcat_node *)(uintptr_t)self->anchors[*place].node;
    opcat_faults_add(self->faults, self->file, place_of(mark),
                     place ? "not YAML: the alias *%s stands inside what it names"
                           : "not YAML: the alias *%s names no anchor before it",
                     name);
    return new_node(self, OPCAT_NODE_INVALID, mark);
}

static opcat_node *build_scalar(builder *self, const yaml_event_t *event)
{
    opcat_node *node = new_node(self, OPCAT_NODE_STRING, &event->start_mark);
    if (!node)
        return NULL;
    size_t length = event->data.scalar.length;
    char *text = opcat_arena_take(&self->tree->arena, length + 1);
    if (!text) {
        out_of_memory(self);
        return NULL;
    }
    memcpy(text, event->data.scalar.value, length);
    text[length] = '\0';
    node->text = text;
    node->count = (uint32_t)length;
    const char *wrong =
        opcat_scalar_resolve(node, (const char *)event->data.scalar.tag, event->data.scalar.plain_implicit);
    if (wrong == opcat_scalar_nomem) {
        out_of_memory(self);
    } else if (wrong) {
        opcat_text shown = {0};
        opcat_text_quote(&shown, text, length);
        opcat_faults_add(self->faults, self->file, opcat_node_place(node), "%s %s", shown.failed ? "?" : shown.bytes,
                         wrong);
        if (shown.failed)
            out_of_memory(self);
        free(shown.bytes);
        node->type = OPCAT_NODE_INVALID;
    }
    if (self->tabs && !opcat_spans_add(&self->scalars, event->start_mark.index, event->end_mark.index,
                                       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE))
        out_of_memory(self);
    /* PyYAML takes it for the ? before a key, and then finds no place for one. */
    if (self->flow_depth && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && strchr(text, '?'))
        opcat_faults_add(self->faults, self->file, opcat_node_place(node),
                         "not YAML: a ? cannot stand in a plain value within [] or {}; put the value in quotes");
    name_node(self, event->data.scalar.anchor, node, &event->start_mark);
    return node;
}

static bool tag_fits(const yaml_char_t *tag, const char *wanted)
{
    return !tag || strcmp((const char *)tag, "!") == 0 || strcmp((const char *)tag, wanted) == 0;
}

static opcat_node *build(builder *self, const yaml_event_t *event, size_t depth);

static bool next_event(builder *self, yaml_event_t *event)
{
    if (yaml_parser_parse(&self->parser, event))
        return true;
    const yaml_parser_t *parser = &self->parser;
    self->stopped = true;
    if (parser->error == YAML_MEMORY_ERROR) {
        self->faults->out_of_memory = true;
    } else {
        opcat_place place = place_of(&parser->problem_mark);
        const char *problem = parser->problem ? parser->problem : "cannot be read";
        if (parser->context)
            opcat_faults_add(self->faults, self->file, place, "not YAML: %s, %s (which opens on line %zu)", problem,
                             parser->context, parser->context_mark.line + 1);
        else
            opcat_faults_add(self->faults, self->file, place, "not YAML: %s", problem);
    }
    return false;
}

/* Read children until the collection ends; they are then the last of the pending. */
static void build_children(builder *self, yaml_event_type_t end, size_t depth)
{
    while (!self->stopped) {
        yaml_event_t event;
        if (!next_event(self, &event))
            return;
        bool done = event.type == end;
        if (!done) {
            opcat_node *child = build(self, &event, depth);
            if (child)
                push(self, child);
        }
        yaml_event_delete(&event);
        if (done)
            return;
    }
}

static void check_items(builder *self, opcat_node *sequence)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        const opcat_node *item = sequence->of.items[i];
        if (item->type == OPCAT_NODE_MERGE || item->type == OPCAT_NODE_VALUE)
            opcat_faults_add(self->faults, self->file, opcat_node_place(item),
                             "a value cannot be = or << alone (put it in quotes)");
    }
}

/* Make the pending children from `first` on those of the collection. */
static void adopt_children(builder *self, opcat_node *node, size_t first)
{
    size_t count = self->pending_count - first;
    const opcat_node **children = opcat_arena_take(&self->tree->arena, count * sizeof(opcat_node *));
    self->pending_count = first;
    if (!children) {
        out_of_memory(self);
        return;
    }
    if (count)
        memcpy(children, self->pending + first, count * sizeof(opcat_node *));
    if (node->type == OPCAT_NODE_SEQUENCE) {
        node->of.items = children;
        node->count = (uint32_t)count;
        check_items(self, node);
        return;
    }
    /* Keys and values by turns have the layout of pairs. */
    opcat_pair *pairs = opcat_arena_take(&self->tree->arena, count / 2 * sizeof *pairs);
    if (!pairs) {
        out_of_memory(self);
        return;
    }
    for (size_t i = 0; i < count / 2; i++)
        pairs[i] = (opcat_pair){children[2 * i], children[2 * i + 1]};
    node->of.pairs = pairs;
    node->count = (uint32_t)(count / 2);
    opcat_mapping_settle(&self->merging, node);
}

static opcat_node *build_collection(builder *self, const yaml_event_t *event, size_t depth)
{
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag = mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const yaml_char_t *name = mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    bool flow = mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                        : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    const yaml_mark_t *mark = &event->start_mark;
    if (depth >= MAX_DEPTH) {
        stop(self, mark, "the file nests deeper than a file may, 64 levels");
        return NULL;
    }
    opcat_node *node = new_node(self, mapping ? OPCAT_NODE_MAPPING : OPCAT_NODE_SEQUENCE, mark);
    if (!node)
        return NULL;
    name_node(self, name, node, mark);
    size_t first = self->pending_count;
    self->flow_depth += flow;
    build_children(self, mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, depth + 1);
    self->flow_depth -= flow;
    if (self->stopped)
        return NULL;
    adopt_children(self, node, first);
    complete(self, name, node);
    if (!tag_fits(tag, mapping ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq")) {
        opcat_faults_add(self->faults, self->file, place_of(mark),
                         "a %s has a tag that is not allowed; !!seq and !!map are, each for its own",
                         mapping ? "mapping" : "sequence");
        /* Its count is now one of bytes, as a scalar's. */
        node->type = OPCAT_NODE_INVALID;
        node->text = "...";
        node->count = 3;
    }
    return node;
}

static opcat_node *build(builder *self, const yaml_event_t *event, size_t depth)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return build_alias(self, event);
    case YAML_SCALAR_EVENT:
        return build_scalar(self, event);
    default:
        return build_collection(self, event, depth);
    }
}

/* ---- The document ---------------------------------------------------------------------------------------- */

static void check_root(builder *self)
{
    const opcat_node *root = self->tree->root;
    if (root && (root->type == OPCAT_NODE_MERGE || root->type == OPCAT_NODE_VALUE)) {
        opcat_faults_add(self->faults, self->file, opcat_node_place(root),
                         "a value cannot be = or << alone (put it in quotes)");
        self->tree->root = NULL;
    }
}

static void build_document(builder *self)
{
    bool more = true;
    size_t documents = 0;
    const opcat_node *root = NULL;
    while (more && !self->stopped) {
        yaml_event_t event;
        if (!next_event(self, &event))
            return;
        if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1)
            stop(self, &event.start_mark, "a second document begins here; a file holds one");
        else if (event.type == YAML_STREAM_END_EVENT)
            more = false;
        else if (event.type == YAML_ALIAS_EVENT || event.type == YAML_SCALAR_EVENT ||
                 event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
            root = build(self, &event, 0);
        yaml_event_delete(&event);
    }
    if (self->stopped)
        return;
    if (!root) {
        const yaml_mark_t start = {0};
        opcat_node *empty = new_node(self, OPCAT_NODE_NULL, &start);
        root = empty;
    }
    self->tree->root = root;
    check_root(self);
}

void opcat_tree_read(opcat_tree *tree, const char *file, const char *bytes, size_t length, opcat_faults *faults)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark */
    builder self = {.tree = tree, .file = file, .faults = faults};
    *tree = (opcat_tree){0};
    if (length > OPCAT_MAX_FILE_BYTES) {
        opcat_faults_add(faults, file, (opcat_place){0, 0}, "the file is larger than a file may be, 1 MiB");
        return;
    }
    if (length >= sizeof mark - 1 && memcmp(bytes, mark, sizeof mark - 1) == 0) {
        bytes += sizeof mark - 1;
        length -= sizeof mark - 1;
    }
    if (!opcat_check_bytes(file, bytes, length, faults))
        return;
    if (!yaml_parser_initialize(&self.parser)) {
        faults->out_of_memory = true;
        return;
    }
    self.tabs = memchr(bytes, '\t', length) != NULL;
    self.merging = (opcat_merging){file, faults, &tree->arena, MAX_MERGED};
    yaml_parser_set_encoding(&self.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&self.parser, (const unsigned char *)bytes, length);
    build_document(&self);
    if (tree->root && self.tabs)
        opcat_check_tabs(file, bytes, length, &self.scalars, faults);
    yaml_parser_delete(&self.parser);
    free(self.scalars.items);
    opcat_string_table_free(&self.anchor_places);
    free(self.anchors);
    free(self.pending);
}

void opcat_tree_free(opcat_tree *tree)
{
    opcat_arena_free(&tree->arena);
    tree->root = NULL;
}
