package main

import (
	"strconv"

	"dyno/bench/internal/frame"
	"dyno/bench/internal/table"
)

// The seed's throughput in Gbit/s, and how many times it mpacket must reach.
const (
	seedGbit64B  = 16.7
	seedGbit64KB = 63.7
)

func goSides() (argvs [][]string, names []string, err error) {
	return [][]string{{self, childCommand, "mpacket"}, {self, childCommand, "go-mc"}}, []string{"mpacket", "go-mc"}, nil
}

func goTables(all samples) []frame.Table {
	return []frame.Table{
		{Name: "go values", Result: goValues(all)},
		{Name: "go frames", Result: goFrames(all)},
		{Name: "go-mc", Result: goPeer(all)},
	}
}

// goValues are absolute.
func goValues(all samples) table.Result {
	one := func(label, name string) table.Row {
		return table.SpreadRow(label, "ns", all.values("mpacket", name))
	}
	return table.Result{
		Setting: "what one value costs in mpacket, Go",
		How:     "the fastest slice of each process; values are many and shuffled; the mix has VarInts of every length equally often",
		Heads:   spreadHeads,
		Rows: []table.Row{
			atMost(1.3, table.SpreadRow("fixed-width write, the slowest of four", "ns", all.slowest("mpacket", "WriteByte", "WriteInt16", "WriteInt32", "WriteInt64"))),
			atMost(1.3, table.SpreadRow("fixed-width read, the slowest of four", "ns", all.slowest("mpacket", "ReadByte", "ReadInt16", "ReadInt32", "ReadInt64"))),
			atMost(1.5, one("AppendVarInt, one byte", "AppendVarInt short")),
			atMost(1.5, one("Writer.WriteVarInt, one byte", "WriteVarInt short")),
			atMost(1.5, one("ConsumeVarInt, one byte", "ConsumeVarInt short")),
			atMost(1.5, one("Reader.ReadVarInt, one byte", "ReadVarInt short")),
			atMost(6.5, one("AppendVarInt, mix", "AppendVarInt")),
			atMost(6.5, one("Writer.WriteVarInt, mix", "WriteVarInt")),
			atMost(6.5, one("ConsumeVarInts, mix in arrays of 512", "ReadVarInts")),
			atMost(6.5, one("ConsumeVarInt, mix", "ConsumeVarInt")),
			atMost(6.5, one("Reader.ReadVarInt, mix", "ReadVarInt")),
		},
	}
}

func goFrames(all samples) table.Result {
	besideCopy := func(name string) table.Row {
		ratios := table.Ratios(all.values("mpacket", "frame "+name), all.values("mpacket", "copy "+name))
		return table.SpreadRow("frame ÷ copy of the same bytes, "+name, "", ratios)
	}
	besideSeed := func(name string, bytes int, seed float64) table.Row {
		var ratios []float64
		for _, ns := range all.values("mpacket", "frame "+name) {
			ratios = append(ratios, float64(8*bytes)/ns/seed)
		}
		return table.SpreadRow("Gbit/s ÷ the seed's "+strconv.FormatFloat(seed, 'g', -1, 64)+", "+name, "", ratios)
	}
	return table.Result{
		Setting: "AppendFrame into a reused buffer",
		How:     "the fastest slice of each, copy and frame in turns in one process; the seed's figures are those of its document, on another machine",
		Heads:   spreadHeads,
		Rows: []table.Row{
			atMost(2, besideCopy("64 B")), besideCopy("1 KB"), atMost(1.15, besideCopy("64 KB")),
			atLeast(8, besideSeed("64 B", 64, seedGbit64B)), atLeast(5, besideSeed("64 KB", 64<<10, seedGbit64KB)),
		},
	}
}

// goPeer compares with go-mc. Only rows that a codec can decide have a target. Moving 1 KB or more once
// takes longer than a tenth of what go-mc takes for it, so what a copy alone would reach stands beside. While
// encrypting, CFB8 is a chain of AES rounds on either side, which leaves little to gain.
func goPeer(all samples) table.Result {
	overCopy := func(size string) table.Row {
		ratios := table.Ratios(all.values("go-mc", "frame "+size), all.values("mpacket", "copy "+size))
		return table.SpreadRow("  the most that copying "+size+" allows", "", ratios)
	}
	return table.Result{
		Setting: "time of go-mc v1.20.2 ÷ time of mpacket for the same bytes",
		How:     "the fastest slice of each process; go-mc writes to a bytes.Buffer that is reused and reads from a bytes.Reader",
		Heads:   spreadHeads,
		Rows: []table.Row{
			atLeast(10, all.times("go-mc", "frame 64 B", "frame 64 B")),
			all.times("go-mc", "frame game", "frame what a game sends"),
			all.times("go-mc", "frame 1 KB", "frame 1 KB"),
			overCopy("1 KB"),
			all.times("go-mc", "frame 64 KB", "frame 64 KB"),
			overCopy("64 KB"),
			all.times("go-mc", "unframe 64 B", "take apart 64 B"),
			all.times("go-mc", "unframe game", "take apart what a game sends"),
			all.times("go-mc", "WriteVarInt", "write VarInt, mix"),
			all.times("go-mc", "ReadVarInt", "read VarInt, mix"),
			all.times("go-mc", "write string", "write string"),
			all.times("go-mc", "read string", "read string, a new one each"),
			all.times("go-mc", "encode NBT", "encode NBT"),
			all.times("go-mc", "decode NBT", "decode NBT"),
			all.times("go-mc", "encrypt", "encrypt, CFB8 (a chain of AES rounds)"),
			atLeast(5, all.times("go-mc", "decrypt", "decrypt, CFB8")),
		},
	}
}
