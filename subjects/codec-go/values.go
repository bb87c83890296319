package main

import "dyno/mpacket"

// The loops over values, one for each type.

func writeBytes8(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		_ = w.WriteByte(byte(v)) // never fails
	}
}

func writeInt16s(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		w.WriteInt16(int16(v))
	}
}

func writeInt32s(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		w.WriteInt32(v)
	}
}

func writeInt64s(w *mpacket.Writer, part []int64) {
	for _, v := range part {
		w.WriteInt64(v)
	}
}

func writeVarInts(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		w.WriteVarInt(v)
	}
}

func writeStrings(w *mpacket.Writer, part []string) {
	for _, v := range part {
		w.WriteString(v)
	}
}

func readBytes8(r *mpacket.Reader) (sum uint32) {
	for range valuesPerRound {
		v, _ := r.ReadByte() // its error sticks, and is looked at once a round
		sum += uint32(v)
	}
	return sum
}

func readInt16s(r *mpacket.Reader) (sum uint32) {
	for range valuesPerRound {
		sum += uint32(r.ReadInt16())
	}
	return sum
}

func readInt32s(r *mpacket.Reader) (sum uint32) {
	for range valuesPerRound {
		sum += uint32(r.ReadInt32())
	}
	return sum
}

func readInt64s(r *mpacket.Reader) uint32 {
	x := int64(0)
	for range valuesPerRound {
		x ^= r.ReadInt64()
	}
	return halves(x)
}

func readVarInts(r *mpacket.Reader) (sum uint32) {
	for range valuesPerRound {
		sum += uint32(r.ReadVarInt())
	}
	return sum
}
