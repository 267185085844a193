-- What every op, run field, model fact, flavour and trait means. `default_value` is what holds where nobody states one.

INSERT INTO term (section, position, name, type, default_value, meaning) VALUES
    ('op', 0, 'attMM', 'count', NULL, 'Attention projections in one layer: query, key, value and output.'),
    ('op', 1, 'attBMM', 'count', NULL, 'Attention batched matrix products in one layer: scores, and weighted values.'),
    ('op', 2, 'ffMM', 'count', NULL, 'Feed-forward projections in one layer; 3 for a gated feed-forward.'),
    ('op', 3, 'softmax', 'count', NULL, 'Softmaxes in one layer.'),
    ('op', 4, 'dropout', 'count', NULL, 'Dropouts in one layer.'),
    ('op', 5, 'normOp', 'count', NULL, 'Normalizations in one layer.'),
    ('op', 6, 'gather', 'count', NULL, 'Gathers over the tensor-parallel group in one layer.'),
    ('op', 7, 'headCast', 'count', NULL, 'Casts of the per-head score tensor in one layer.'),
    ('op', 8, 'ffAct', 'count', NULL, 'Feed-forward activation functions in one layer.'),
    ('op', 9, 'linrec', 'count', NULL, 'State updates of linear attention in one layer: the recurrence of the delta rule.'),

    ('run', 0, 'grad_bytes', 'size', 4, 'Bytes per element of a gradient.'),
    ('run', 1, 'optimizer_state_bytes', 'size', 4, 'Bytes per element of an optimizer state.'),
    ('run', 2, 'optimizer_states', 'count', 2, 'States the optimizer keeps per parameter.'),
    ('run', 3, 'main_param_bytes', 'size', 0, 'Bytes per element of the optimizer''s own copy of the parameters, 0 for none.'),
    ('run', 4, 'norm_bytes', 'size', 4, 'Bytes per element of a norm activation.'),
    ('run', 5, 'dropout_bytes', 'size', 0, 'Bytes per element of a dropout mask.'),
    ('run', 6, 'grad_accumulation', 'flag', 0, 'Gradients take memory without pipeline parallelism too.'),
    ('run', 7, 'shard_activations', 'flag', 0, 'Tensor parallelism shards the activations between layers.'),
    ('run', 8, 'loss_parallel', 'flag', 1, 'The loss runs on logits sharded over the vocabulary.'),
    ('run', 9, 'reshard_params', 'flag', 0, 'Sharded parameters are freed after a layer has run and gathered again.'),
    ('run', 10, 'deferred_grad_accumulation', 'flag', 0, 'A reduced gradient is added only when the micro-batch''s backward ends.'),
    ('run', 11, 'overlapped_grad_reduce', 'flag', 0, 'A layer''s gradients are reduced while the next layer''s backward runs.'),

    ('model', 0, 'v_head_dim', 'count', NULL, 'Width of an attention value head, for families whose models may leave it out.'),

    ('attention', 0, 'full', 'flavour', NULL, 'Attention over all positions; what a kind has where its profile states none.'),
    ('attention', 1, 'linear', 'flavour', NULL, 'Linear attention: a gated DeltaNet layer, priced on the model''s linear-attention dimensions.'),

    ('ffn', 0, 'dense', 'flavour', NULL, 'One feed-forward for every token.'),
    ('ffn', 1, 'moe', 'flavour', NULL, 'A mixture of experts: each token goes through some of many feed-forwards.'),

    ('trait', 0, 'qk_norm', 'trait', NULL, 'Attention normalizes the queries and keys of each head.'),
    ('trait', 1, 'qkv_bias', 'trait', NULL, 'The query, key and value projections have a bias.'),
    ('trait', 2, 'shared_expert_gate', 'trait', NULL, 'A gate scales the output of the shared expert.');
