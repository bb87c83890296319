package report

import (
	"testing"

	"dyno"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{measured(dyno.Estimate{}, 1), "–"},
		{measured(dyno.Estimate{Value: 5000, N: 1}, 1), "5,000 ±?"},
		{measured(dyno.Estimate{Value: 5000, Low: 4950, High: 5050, N: 3}, 1), "5,000 ±1.0%"},
		{measured(dyno.Estimate{Value: 5000, Low: 1, High: 500000, N: 2}, 1), "5,000 ±>999%"},
		{difference(dyno.Estimate{}), "–"},
		{difference(dyno.Estimate{Value: 1.067, N: 1}), "+6.7% ±?"},
		{difference(dyno.Estimate{Value: 1.067, Low: 1.056, High: 1.078, N: 5}), "+6.7% ±1.1%"},
		{difference(dyno.Estimate{Value: 0.9999, Low: 0.999, High: 1.0008, N: 5}), "+0.0% ±0.1%"},
		{difference(dyno.Estimate{Value: 0.871, Low: 0.771, High: 0.971, N: 5}), "-12.9% ±10%"},
		{spaced("+6.7% ±1.1%"), "+6.7\u00a0%\u00a0±\u00a01.1\u00a0%"},
		{change(1.478), "+47.8 %"}, {change(0.95), "-5.0 %"}, {change(2e8), "above +900 %"}, {change(1e-9), "below -90 %"},
		{listed(nil), ""}, {listed([]string{"a"}), "a"}, {listed([]string{"a", "b", "c"}), "a, b and c"},
		{extent{}.of("block", "blocks"), "0 blocks"}, {extent{1, 1}.of("block", "blocks"), "1 block"},
		{extent{3, 5}.of("block", "blocks"), "3 to 5 blocks"},
		{bytesText(24 << 30), "24.0 GiB"}, {bytesText(512 << 20), "512 MiB"},
		{cpuList(nil), "none"}, {cpuList([]int{0, 2}), "0, 2"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
