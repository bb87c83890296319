package hist

import (
	"reflect"
	"testing"
)

func TestBandsCoverEveryValueOnce(t *testing.T) {
	for i := range bandsMax {
		lowNs, endNs := BandNs(i), BandNs(i+1)
		if lowNs >= endNs || band(lowNs) != i || band(endNs-1) != i {
			t.Fatalf("band %d from %d to %d holds %d and %d", i, lowNs, endNs, band(lowNs), band(endNs-1))
		}
		if lowNs >= 16 && float64(endNs)/float64(lowNs) > 1.126 {
			t.Errorf("band %d is %.1f %% wide", i, 100*(float64(endNs)/float64(lowNs)-1))
		}
	}
	if last := band(HighestNs); last >= bandsMax {
		t.Errorf("the highest value is in band %d of %d", last, bandsMax)
	}
}

func TestBandsCountEveryValue(t *testing.T) {
	h := New()
	want := map[int]int64{}
	for _, x := range append(values(6, 3000), 0, 1, HighestNs) {
		h.Record(x)
		want[band(x)]++
	}
	b := h.Bands()
	if b.Count() != h.Count() {
		t.Errorf("%d values of %d", b.Count(), h.Count())
	}
	for i, c := range b.Counts {
		if c != want[b.First+i] {
			t.Errorf("band %d holds %d of %d", b.First+i, c, want[b.First+i])
		}
	}
	again, err := DecodeBands(b.Encode())
	if err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("%v became %v, %v", b, again, err)
	}
}

func TestEmptyBands(t *testing.T) {
	b := New().Bands()
	again, err := DecodeBands(b.Encode())
	if b.Count() != 0 || b.Encode() != nil || err != nil || !reflect.DeepEqual(again, Bands{}) {
		t.Errorf("%v, %v, %v", b, again, err)
	}
}

func FuzzDecodeBands(f *testing.F) {
	h := New()
	for _, x := range values(7, 50) {
		h.Record(x)
	}
	f.Add(h.Bands().Encode())
	f.Add([]byte{5})
	f.Add([]byte{5, 0, 1})
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, in []byte) {
		b, err := DecodeBands(in)
		if err != nil {
			return
		}
		if b.Count() < 0 || len(b.Counts) > bandsMax {
			t.Fatalf("%v", b)
		}
		if again, err := DecodeBands(b.Encode()); err != nil || !reflect.DeepEqual(b, again) {
			t.Fatalf("%v became %v, %v", b, again, err)
		}
	})
}

// TestBandsAreSmall: a slice takes some fifty bytes in a store beside its bands, a trial about two thousand.
func TestBandsAreSmall(t *testing.T) {
	h := New()
	for _, x := range values(8, 100_000) { // over more decades than any server
		h.Record(x)
	}
	if n := len(h.Bands().Encode()); n > 1000 {
		t.Errorf("the widest histogram takes %d bytes", n)
	}
	h.Reset()
	for i := range int64(30_000) {
		h.Record(200_000 + i*i%1_500_000) // most within three octaves
	}
	if n := len(h.Bands().Encode()); n > 100 {
		t.Errorf("that of a usual slice takes %d bytes", n)
	}
}
