shard.grid @grid(shape = 6)
func.func @open(%a: tensor<12xf32>,
%b: tensor<12x12xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>@}) {
return
}
