# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that compare.py times: the MLP of Mlp.c and the block of Llama of Llama.c."""

MLP = """
shard.grid @grid(shape = {ranks}) axes ["model"]
func.func @main(
    %input: tensor<{m}x{k}xf32>,
    %w1: tensor<{k}x{h}xf32> {{shard.sharding = #shard.sharding<@grid, [[], ["model"]]>}},
    %b1: tensor<{h}xf32> {{shard.sharding = #shard.sharding<@grid, [["model"]]>}},
    %w2: tensor<{h}x{n}xf32> {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}})
    -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<{m}x{h}xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<{m}x{h}xf32>) -> tensor<{m}x{h}xf32>
  %p = linalg.matmul ins(%input, %w1 : tensor<{m}x{k}xf32>, tensor<{k}x{h}xf32>)
      outs(%z1 : tensor<{m}x{h}xf32>) -> tensor<{m}x{h}xf32>
  %hidden = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%p, %b1 : tensor<{m}x{h}xf32>, tensor<{h}xf32>) outs(%e1 : tensor<{m}x{h}xf32>) {{
  ^bb0(%x: f32, %bias: f32, %out: f32):
    %sum = arith.addf %x, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  }} -> tensor<{m}x{h}xf32>
  %e2 = tensor.empty() : tensor<{m}x{n}xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %result = linalg.matmul ins(%hidden, %w2 : tensor<{m}x{h}xf32>, tensor<{h}x{n}xf32>)
      outs(%z2 : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %result : tensor<{m}x{n}xf32>
}}
"""

# Weights are stored as Llama's are, outputs times inputs.
LLAMA_HEAD = """
!x = tensor<{t}x{d}xf32>
!w = tensor<{d}xf32>
!square = tensor<{d}x{d}xf32>
!table = tensor<{t}x{e}xf32>
!heads = tensor<{t}x{h}x{e}xf32>
!half = tensor<{t}x{h}x{r}xf32>
!scores = tensor<{h}x{t}x{t}xf32>
!rows = tensor<{h}x{t}xf32>
!wide = tensor<{t}x{f}xf32>
!in = tensor<{f}x{d}xf32>
!out = tensor<{d}x{f}xf32>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#lead = affine_map<(i, j, k) -> (i, j)>
#outer = affine_map<(i, j, k) -> (i, k)>
#a = affine_map<(i, j, k) -> (i, k)>
#bt = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>
#q = affine_map<(h, s, t, e) -> (s, h, e)>
#k = affine_map<(h, s, t, e) -> (t, h, e)>
#qk = affine_map<(h, s, t, e) -> (h, s, t)>
#p = affine_map<(s, h, e, t) -> (h, s, t)>
#v = affine_map<(s, h, e, t) -> (t, h, e)>
#pv = affine_map<(s, h, e, t) -> (s, h, e)>
shard.grid @grid(shape = {ranks}) axes ["model"]
func.func @main(
    %x: !x, %weight1: !w,
    %wq: !square {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}},
    %wk: !square {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}},
    %wv: !square {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}},
    %wo: !square {{shard.sharding = #shard.sharding<@grid, [[], ["model"]]>}},
    %cos: !table, %sin: !table, %weight2: !w,
    %gate: !in {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}},
    %up: !in {{shard.sharding = #shard.sharding<@grid, [["model"], []]>}},
    %down: !out {{shard.sharding = #shard.sharding<@grid, [[], ["model"]]>}}) -> !x {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {scale} : f32
  %count = arith.constant {d}.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
"""

NORM = """
  %{y}_e = tensor.empty() : tensor<{t}xf32>
  %{y}_z = linalg.fill ins(%zero : f32) outs(%{y}_e : tensor<{t}xf32>) -> tensor<{t}xf32>
  %{y}_s = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%{x} : !x) outs(%{y}_z : tensor<{t}xf32>) {{
  ^bb0(%v: f32, %sum: f32):
    %square = arith.mulf %v, %v : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  }} -> tensor<{t}xf32>
  %{y}_0 = tensor.empty() : !x
  %{y} = linalg.generic {{indexing_maps = [#id, #row, #column, #id],
      iterator_types = ["parallel", "parallel"]}}
      ins(%{x}, %{y}_s, %{w} : !x, tensor<{t}xf32>, !w) outs(%{y}_0 : !x) {{
  ^bb0(%v: f32, %sum: f32, %weight: f32, %o: f32):
    %mean = arith.divf %sum, %count : f32
    %more = arith.addf %mean, %epsilon : f32
    %root = math.rsqrt %more : f32
    %scaled = arith.mulf %v, %root : f32
    %result = arith.mulf %scaled, %weight : f32
    linalg.yield %result : f32
  }} -> !x
"""

PROJECT = """
  %{y}_e = tensor.empty() : {type}
  %{y}_z = linalg.fill ins(%zero : f32) outs(%{y}_e : {type}) -> {type}
  %{y} = linalg.matmul indexing_maps = [#a, #bt, #c] ins(%{x}, %{w} : {xtype}, {wtype})
      outs(%{y}_z : {type}) -> {type}
"""

# By two halves: (low, high) * cos + (-high, low) * sin.
ROTATE = """
  %{y}_h = tensor.expand_shape %{x} [[0], [1, 2]] output_shape [{t}, {h}, {e}] : !x into !heads
  %{y}_l = tensor.extract_slice %{y}_h[0, 0, 0] [{t}, {h}, {r}] [1, 1, 1] : !heads to !half
  %{y}_u = tensor.extract_slice %{y}_h[0, 0, {r}] [{t}, {h}, {r}] [1, 1, 1] : !heads to !half
  %{y}_n = arith.negf %{y}_u : !half
  %{y}_e = tensor.empty() : !heads
  %{y}_i = tensor.insert_slice %{y}_n into %{y}_e[0, 0, 0] [{t}, {h}, {r}] [1, 1, 1]
      : !half into !heads
  %{y}_o = tensor.insert_slice %{y}_l into %{y}_i[0, 0, {r}] [{t}, {h}, {r}] [1, 1, 1]
      : !half into !heads
  %{y}_f = tensor.empty() : !heads
  %{y} = linalg.generic {{indexing_maps = [#id3, #id3, #outer, #outer, #id3],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%{y}_h, %{y}_o, %cos, %sin : !heads, !heads, !table, !table) outs(%{y}_f : !heads) {{
  ^bb0(%v: f32, %turned: f32, %c: f32, %s: f32, %o: f32):
    %0 = arith.mulf %v, %c : f32
    %1 = arith.mulf %turned, %s : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  }} -> !heads
"""

ATTEND = """
  %vh = tensor.expand_shape %vf [[0], [1, 2]] output_shape [{t}, {h}, {e}] : !x into !heads
  %s_e = tensor.empty() : !scores
  %s_z = linalg.fill ins(%zero : f32) outs(%s_e : !scores) -> !scores
  %s = linalg.generic {{indexing_maps = [#q, #k, #qk],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%qr, %kr : !heads, !heads) outs(%s_z : !scores) {{
  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }} -> !scores
  %masked = linalg.generic {{indexing_maps = [#id3, #id3],
      iterator_types = ["parallel", "parallel", "parallel"]}} ins(%s : !scores) outs(%s_e : !scores) {{
  ^bb0(%v: f32, %o: f32):
    %from = linalg.index 1 : index
    %to = linalg.index 2 : index
    %sees = arith.cmpi ule, %to, %from : index
    %scaled = arith.mulf %v, %scale : f32
    %0 = arith.select %sees, %scaled, %lowest : f32
    linalg.yield %0 : f32
  }} -> !scores
  %r_e = tensor.empty() : !rows
  %r_l = linalg.fill ins(%lowest : f32) outs(%r_e : !rows) -> !rows
  %most = linalg.reduce {{ arith.maximumf }} ins(%masked : !scores) outs(%r_l : !rows) dimensions = [2]
  %raised = linalg.generic {{indexing_maps = [#id3, #lead, #id3],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%masked, %most : !scores, !rows) outs(%s_e : !scores) {{
  ^bb0(%v: f32, %m: f32, %o: f32):
    %0 = arith.subf %v, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }} -> !scores
  %r_z = linalg.fill ins(%zero : f32) outs(%r_e : !rows) -> !rows
  %sums = linalg.reduce {{ arith.addf }} ins(%raised : !scores) outs(%r_z : !rows) dimensions = [2]
  %weights = linalg.generic {{indexing_maps = [#id3, #lead, #id3],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%raised, %sums : !scores, !rows) outs(%s_e : !scores) {{
  ^bb0(%v: f32, %sum: f32, %o: f32):
    %0 = arith.divf %v, %sum : f32
    linalg.yield %0 : f32
  }} -> !scores
  %h_e = tensor.empty() : !heads
  %h_z = linalg.fill ins(%zero : f32) outs(%h_e : !heads) -> !heads
  %seen = linalg.generic {{indexing_maps = [#p, #v, #pv],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%weights, %vh : !scores, !heads) outs(%h_z : !heads) {{
  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }} -> !heads
  %flat = tensor.collapse_shape %seen [[0], [1, 2]] : !heads into !x
"""

FEED_FORWARD = """
  %f_e = tensor.empty() : !wide
  %f = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%g, %u : !wide, !wide) outs(%f_e : !wide) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.negf %a : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %a, %2 : f32
    %4 = arith.mulf %3, %b : f32
    linalg.yield %4 : f32
  }} -> !wide
"""


def mlp(ranks, m, k, h, n):
    return MLP.format(ranks=ranks, m=m, k=k, h=h, n=n)


def llama(ranks, tokens, width, heads, hidden):
    """A block of Llama: attention and feed-forward, with a norm in front of each."""
    extent = width // heads
    sizes = {"ranks": ranks, "t": tokens, "d": width, "h": heads, "e": extent, "r": extent // 2,
             "f": hidden, "scale": extent ** -0.5}

    def project(y, x, w, wtype="!square", xtype="!x", type_="!x"):
        return PROJECT.format(y=y, x=x, w=w, wtype=wtype, xtype=xtype, type=type_)

    return "".join([
        LLAMA_HEAD.format(**sizes),
        NORM.format(y="n1", x="x", w="weight1", **sizes),
        project("qf", "n1", "wq"), project("kf", "n1", "wk"), project("vf", "n1", "wv"),
        ROTATE.format(y="qr", x="qf", **sizes), ROTATE.format(y="kr", x="kf", **sizes),
        ATTEND.format(**sizes),
        project("attended", "flat", "wo"), "  %y = arith.addf %attended, %x : !x\n",
        NORM.format(y="n2", x="y", w="weight2", **sizes),
        project("g", "n2", "gate", "!in", "!x", "!wide"),
        project("u", "n2", "up", "!in", "!x", "!wide"),
        FEED_FORWARD.format(),
        project("d", "f", "down", "!out", "!wide", "!x"),
        "  %result = arith.addf %d, %y : !x\n  return %result : !x\n}\n"])


def llama_arguments(tokens, width, heads, hidden):
    """The shapes of the arguments of llama()."""
    table = (tokens, width // heads)
    return [(tokens, width), (width,), *[(width, width)] * 4, table, table, (width,),
            (hidden, width), (hidden, width), (width, hidden)]


def write_argument(path, number, shape):
    """Writes to a .npy file the argument as Llama.c makes it."""
    import array
    size = 1
    for extent in shape:
        size *= extent
    values = array.array("f", (((index * 7 + number) % 17 - 8) / 64 for index in range(size)))
    shape_text = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape_text}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode())
        file.write(values.tobytes())
