package framed

import (
	"slices"

	"dyno"
)

// Players is the workload of people in a game: each connection is a player who sends PlayerRatePerS
// packets of mixed sizes. An echo sends down what came up, so what a real server adds (chunks, the moves of
// others) is not in it.
var Players = dyno.Workload{Name: "players"}

// PlayerRatePerS is how many packets a Minecraft client sends: one a tick.
const PlayerRatePerS = 20

// playerMix says how often packets of a size occur in 256 packets of a player. The sizes are those of the
// Java edition's play packets with their ids; how often is our estimate of somebody who walks about.
var playerMix = []struct{ payloadBytes, of256 int }{
	{26, 154}, // position: three doubles, a flag
	{34, 51},  // position and rotation
	{10, 26},  // rotation, or a keep-alive
	{64, 15},  // a use of an item, a block, a click in a window
	{256, 8},  // chat, plugin messages
	{1024, 2}, // books, large plugin messages
}

// playerSizes returns the payload sizes of a corpus for players.
func playerSizes() []int {
	var sizes []int
	for _, kind := range playerMix {
		sizes = append(sizes, slices.Repeat([]int{kind.payloadBytes}, kind.of256)...)
	}
	return sizes
}
