package hist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// values draws n latencies over eight decades.
func values(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(math.Exp(r.Float64() * math.Log(HighestNs)))
	}
	return v
}

func TestSlotsCoverEveryValueOnce(t *testing.T) {
	next := int64(0)
	for i := range slots {
		lowNs, highNs := span(i)
		if lowNs != next {
			t.Fatalf("slot %d starts at %d, want %d", i, lowNs, next)
		}
		if lowNs <= HighestNs && slot(lowNs) != i {
			t.Fatalf("slot(%d) = %d, want %d", lowNs, slot(lowNs), i)
		}
		next = highNs + 1
	}
	if next <= HighestNs {
		t.Fatalf("slots end at %d, below the highest value", next)
	}
}

func TestQuantilesMatchSortedValues(t *testing.T) {
	v := values(1, 20_000)
	h := New()
	for _, x := range v {
		h.Record(x)
	}
	slices.Sort(v)
	for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := v[max(int(math.Ceil(q*float64(len(v))))-1, 0)]
		got := h.QuantileNs(q)
		if got < want || float64(got) > float64(want)*1.001+1 {
			t.Errorf("quantile %v: got %d, want %d within 0.1 %%", q, got, want)
		}
	}
	if h.MaxNs() != v[len(v)-1] || h.MinNs() != v[0] {
		t.Errorf("extremes %d…%d, want %d…%d", h.MinNs(), h.MaxNs(), v[0], v[len(v)-1])
	}
}

func TestAgreesWithTheHDRLibrary(t *testing.T) {
	h, peer := New(), hdr.New(1, HighestNs, 3)
	for _, x := range values(2, 5_000) {
		h.Record(x)
		if err := peer.RecordValue(x); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(peer.Export().Counts, h.counts[:]) {
		t.Fatal("counts differ from the library's for the same values")
	}
}

func TestMergeEqualsRecordingEverything(t *testing.T) {
	a, b, all := New(), New(), New()
	for i, x := range values(3, 4_000) {
		all.Record(x)
		if i%3 == 0 {
			a.Record(x)
		} else {
			b.Record(x)
		}
	}
	a.Merge(b)
	a.Merge(New())
	if a.counts != all.counts || a.total != all.total || a.minNs != all.minNs || a.maxNs != all.maxNs {
		t.Fatal("merge lost or moved values")
	}
	if math.Abs(a.MeanNs()-all.MeanNs()) > 1e-6*all.MeanNs() {
		t.Fatalf("mean %v, want %v", a.MeanNs(), all.MeanNs())
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	h := New()
	for _, x := range values(4, 3_000) {
		h.Record(x)
	}
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.counts != h.counts || got.total != h.total {
		t.Fatal("counts changed on the way")
	}
	if math.Abs(got.MeanNs()-h.MeanNs()) > 1e-3*h.MeanNs() {
		t.Fatalf("mean %v, want %v within 0.1 %%", got.MeanNs(), h.MeanNs())
	}
}

func TestOutOfRangeValuesAreKept(t *testing.T) {
	h := New()
	h.Record(-5)
	h.Record(HighestNs + 1)
	if h.Count() != 2 || h.Clipped() != 1 || h.MinNs() != 0 || h.MaxNs() != HighestNs {
		t.Fatalf("count %d, clipped %d, %d…%d", h.Count(), h.Clipped(), h.MinNs(), h.MaxNs())
	}
}

func TestEmpty(t *testing.T) {
	h := New()
	if h.QuantileNs(0.5) != 0 || h.MeanNs() != 0 || h.MaxNs() != 0 || h.MinNs() != 0 || h.StdevNs() != 0 {
		t.Fatal("an empty histogram must answer 0 everywhere")
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h := New()
	if n := testing.AllocsPerRun(1000, func() { h.Record(12_345) }); n != 0 {
		t.Fatalf("%v allocations a value", n)
	}
}

func FuzzDecode(f *testing.F) {
	h := New()
	h.Record(1000)
	b, err := h.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := Decode(b)
		if err != nil {
			return
		}
		if h.Count() < 0 && h.QuantileNs(0.5) < 0 {
			t.Fatal("negative figures")
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	h := New()
	v := values(5, 1<<16)
	b.ResetTimer()
	for i := range b.N {
		h.Record(v[i&(1<<16-1)])
	}
}

func TestCountAtLeast(t *testing.T) {
	h := New()
	for _, ns := range []int64{0, 5, 5, 900, 2_000_000, HighestNs} {
		h.Record(ns)
	}
	for ns, want := range map[int64]int64{-1: 6, 0: 6, 1: 5, 5: 5, 6: 3, 900: 3, 901: 2, 1_000_000: 2, 3_000_000: 1, HighestNs + 1: 1} {
		if got := h.CountAtLeast(ns); got != want {
			t.Errorf("%d values of %d ns and more, want %d", got, ns, want)
		}
	}
}
