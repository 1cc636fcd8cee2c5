// Multi-head attention with its four weights as arguments: 2 sequences of 16
// tokens, 64 features, 4 heads of 16. No hints stand here; give them to shard-run:
//
//   batch      arg0=[[0], [], []]
//   sequence   arg0=[[], [0], []]
//   heads      arg1=[[], [0]] arg2=[[], [0]] arg3=[[], [0]] arg4=[[0], []]
//
// The third is the scheme of Megatron-LM: each device computes some heads, and
// their share of the output projection is one summand of the result.

!tokens = tensor<2x16x64xf32>
!weight = tensor<64x64xf32>
!heads = tensor<2x16x4x16xf32>
!scores = tensor<2x4x16x16xf32>
!row = tensor<2x4x16xf32>

#x = affine_map<(b, s, f, e) -> (b, s, e)>
#w = affine_map<(b, s, f, e) -> (e, f)>
#y = affine_map<(b, s, f, e) -> (b, s, f)>
#q = affine_map<(b, h, s, t, d) -> (b, s, h, d)>
#k = affine_map<(b, h, s, t, d) -> (b, t, h, d)>
#qk = affine_map<(b, h, s, t, d) -> (b, h, s, t)>
#p = affine_map<(b, s, h, d, t) -> (b, h, s, t)>
#v = affine_map<(b, s, h, d, t) -> (b, t, h, d)>
#pv = affine_map<(b, s, h, d, t) -> (b, s, h, d)>
#all = affine_map<(b, h, s, t) -> (b, h, s, t)>
#rows = affine_map<(b, h, s, t) -> (b, h, s)>

func.func @main(%x: !tokens, %wq: !weight, %wk: !weight, %wv: !weight,
                %wo: !weight) -> !tokens {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32

  // Projections of the tokens, over the features.
  %tokens_empty = tensor.empty() : !tokens
  %tokens_zero = linalg.fill ins(%zero : f32) outs(%tokens_empty : !tokens) -> !tokens
  %q_flat = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wq : !tokens, !weight) outs(%tokens_zero : !tokens) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !tokens
  %k_flat = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wk : !tokens, !weight) outs(%tokens_zero : !tokens) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !tokens
  %v_flat = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wv : !tokens, !weight) outs(%tokens_zero : !tokens) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !tokens

  // Features to heads.
  %q = tensor.expand_shape %q_flat [[0], [1], [2, 3]]
      output_shape [2, 16, 4, 16] : !tokens into !heads
  %k = tensor.expand_shape %k_flat [[0], [1], [2, 3]]
      output_shape [2, 16, 4, 16] : !tokens into !heads
  %v = tensor.expand_shape %v_flat [[0], [1], [2, 3]]
      output_shape [2, 16, 4, 16] : !tokens into !heads

  // Scores of each query against each key.
  %scores_empty = tensor.empty() : !scores
  %scores_zero = linalg.fill ins(%zero : f32) outs(%scores_empty : !scores) -> !scores
  %scores = linalg.generic {indexing_maps = [#q, #k, #qk],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : !heads, !heads) outs(%scores_zero : !scores) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !scores

  // Softmax over the keys.
  %row_empty = tensor.empty() : !row
  %row_lowest = linalg.fill ins(%lowest : f32) outs(%row_empty : !row) -> !row
  %largest = linalg.reduce ins(%scores : !scores) outs(%row_lowest : !row)
      dimensions = [3]
      (%in: f32, %acc: f32) {
        %max = arith.maximumf %in, %acc : f32
        linalg.yield %max : f32
      }
  %weights = linalg.generic {indexing_maps = [#all, #rows, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores, %largest : !scores, !row) outs(%scores_empty : !scores) {
  ^bb0(%score: f32, %max: f32, %out: f32):
    %difference = arith.subf %score, %max : f32
    %scaled = arith.mulf %difference, %scale : f32
    %weight = math.exp %scaled : f32
    linalg.yield %weight : f32
  } -> !scores
  %row_zero = linalg.fill ins(%zero : f32) outs(%row_empty : !row) -> !row
  %total = linalg.reduce ins(%weights : !scores) outs(%row_zero : !row)
      dimensions = [3]
      (%in: f32, %acc: f32) {
        %sum = arith.addf %in, %acc : f32
        linalg.yield %sum : f32
      }
  %probabilities = linalg.generic {indexing_maps = [#all, #rows, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %total : !scores, !row) outs(%scores_empty : !scores) {
  ^bb0(%weight: f32, %sum: f32, %out: f32):
    %probability = arith.divf %weight, %sum : f32
    linalg.yield %probability : f32
  } -> !scores

  // Values, weighted; heads back to features; output projection.
  %heads_empty = tensor.empty() : !heads
  %heads_zero = linalg.fill ins(%zero : f32) outs(%heads_empty : !heads) -> !heads
  %context = linalg.generic {indexing_maps = [#p, #v, #pv],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%probabilities, %v : !scores, !heads) outs(%heads_zero : !heads) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !heads
  %context_flat = tensor.collapse_shape %context [[0], [1], [2, 3]]
      : !heads into !tokens
  %result = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%context_flat, %wo : !tokens, !weight) outs(%tokens_zero : !tokens) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> !tokens
  return %result : !tokens
}
