-- The public face of a catalog. Names and columns stay as they are within the schema's major version.

-- The families.
CREATE VIEW profiles AS
SELECT p.arch,
       (SELECT count(*) FROM kind k WHERE k.arch = p.arch) AS kind_count,
       p.default_kind,
       p.v_head_dim,
       c.import_id,
       i.imported_at,
       c.source
FROM profile p
JOIN change c ON c.change_id = p.change_id
JOIN import i ON i.import_id = c.import_id;

-- Their layer kinds, with the op vector in ten columns. `position` is the place in the profile's file, from 0.
CREATE VIEW kinds AS
SELECT k.arch, k.name AS kind, k.position, k.name IS p.default_kind AS is_default, k.attention, k.ffn,
       k.attMM, k.attBMM, k.ffMM, k.softmax, k.dropout, k.normOp, k.gather, k.headCast, k.ffAct, k.linrec
FROM kind k
JOIN profile p ON p.arch = k.arch;

-- The op vector in rows.
CREATE VIEW op_counts AS
SELECT k.arch, k.name AS kind, t.name AS op,
       CASE t.name
           WHEN 'attMM' THEN k.attMM
           WHEN 'attBMM' THEN k.attBMM
           WHEN 'ffMM' THEN k.ffMM
           WHEN 'softmax' THEN k.softmax
           WHEN 'dropout' THEN k.dropout
           WHEN 'normOp' THEN k.normOp
           WHEN 'gather' THEN k.gather
           WHEN 'headCast' THEN k.headCast
           WHEN 'ffAct' THEN k.ffAct
           WHEN 'linrec' THEN k.linrec
       END AS count
FROM kind k
CROSS JOIN term t
WHERE t.section = 'op';

-- The run of each family's models in twelve columns, defaults filled in. Flags are 0 or 1.
CREATE VIEW runs AS
SELECT arch,
       coalesce(grad_bytes, 4) AS grad_bytes,
       coalesce(optimizer_state_bytes, 4) AS optimizer_state_bytes,
       coalesce(optimizer_states, 2) AS optimizer_states,
       coalesce(main_param_bytes, 0) AS main_param_bytes,
       coalesce(norm_bytes, 4) AS norm_bytes,
       coalesce(dropout_bytes, 0) AS dropout_bytes,
       coalesce(grad_accumulation, 0) AS grad_accumulation,
       coalesce(shard_activations, 0) AS shard_activations,
       coalesce(loss_parallel, 1) AS loss_parallel,
       coalesce(reshard_params, 0) AS reshard_params,
       coalesce(deferred_grad_accumulation, 0) AS deferred_grad_accumulation,
       coalesce(overlapped_grad_reduce, 0) AS overlapped_grad_reduce
FROM profile;

-- The run in rows. `stated` is 1 where the family's profile states the value, 0 where it is the default.
CREATE VIEW run_fields AS
SELECT arch, field, coalesce(own, default_value) AS value, own IS NOT NULL AS stated
FROM (SELECT p.arch, t.name AS field, t.default_value,
             CASE t.name
                 WHEN 'grad_bytes' THEN p.grad_bytes
                 WHEN 'optimizer_state_bytes' THEN p.optimizer_state_bytes
                 WHEN 'optimizer_states' THEN p.optimizer_states
                 WHEN 'main_param_bytes' THEN p.main_param_bytes
                 WHEN 'norm_bytes' THEN p.norm_bytes
                 WHEN 'dropout_bytes' THEN p.dropout_bytes
                 WHEN 'grad_accumulation' THEN p.grad_accumulation
                 WHEN 'shard_activations' THEN p.shard_activations
                 WHEN 'loss_parallel' THEN p.loss_parallel
                 WHEN 'reshard_params' THEN p.reshard_params
                 WHEN 'deferred_grad_accumulation' THEN p.deferred_grad_accumulation
                 WHEN 'overlapped_grad_reduce' THEN p.overlapped_grad_reduce
             END AS own
      FROM profile p
      CROSS JOIN term t
      WHERE t.section = 'run');

-- How a model's name tells its family and its traits. `arch` is null for a trait.
CREATE VIEW name_rules AS
SELECT rule, pattern, arch FROM rule;

-- The imports that changed something.
CREATE VIEW imports AS
SELECT import_id, imported_at, origin, importer, added, updated, unchanged, removed, rules_changed FROM import;

-- What each import did to each family. `source` is the profile as the import left it; for one removed, as it was.
CREATE VIEW changes AS
SELECT c.import_id, i.imported_at, c.arch, c.change,
       coalesce(c.source, (SELECT b.source FROM change b
                           WHERE b.arch = c.arch AND b.import_id < c.import_id
                           ORDER BY b.import_id DESC LIMIT 1)) AS source
FROM change c
JOIN import i ON i.import_id = c.import_id;

-- The words of the domain, explained.
CREATE VIEW vocabulary AS
SELECT section, position, name, type, default_value, meaning FROM term;
