package money

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseUSDC(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want MicroUSDC
		bad  bool
	}{
		"one cent":         {in: "0.01", want: 10_000},
		"whole":            {in: "3", want: 3_000_000},
		"all decimals":     {in: "0.000001", want: 1},
		"largest":          {in: "9223372036854.775807", want: math.MaxInt64},
		"over the largest": {in: "9223372036854.775808", bad: true},
		"seven decimals":   {in: "0.0000001", bad: true},
		"sign":             {in: "-1", bad: true},
		"plus":             {in: "+1", bad: true},
		"exponent":         {in: "1e3", bad: true},
		"no whole part":    {in: ".5", bad: true},
		"no decimals":      {in: "5.", bad: true},
		"two points":       {in: "1.2.3", bad: true},
		"other digits":     {in: "١", bad: true},
		"empty":            {in: "", bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseUSDC(tt.in)
			if (err != nil) != tt.bad || got != tt.want {
				t.Fatalf("ParseUSDC(%q): got %d, %v; want %d, error %v", tt.in, got, err, tt.want, tt.bad)
			}
		})
	}
}

func TestUSDCTextRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := MicroUSDC(rapid.Int64Range(0, math.MaxInt64).Draw(t, "units"))
		back, err := ParseUSDC(m.String())
		if err != nil || back != m {
			t.Fatalf("got %d, %v; want %d", back, err, m)
		}
		back, err = ParseUnits(m.Units())
		if err != nil || back != m {
			t.Fatalf("got %d, %v; want %d", back, err, m)
		}
	})
}

func TestArithmeticNeverWraps(t *testing.T) {
	t.Parallel()
	edges := []int64{math.MinInt64, math.MinInt64 + 1, -2, -1, 0, 1, 2, math.MaxInt64 - 1, math.MaxInt64}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.SampledFrom(edges), rapid.Int64())
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if sum, err := Credits(a).Add(Credits(b)); err == nil {
			if (b >= 0) != (int64(sum) >= a) {
				t.Fatalf("%d + %d: got %d", a, b, sum)
			}
		}
		if p, err := Credits(a).Mul(b); err == nil && b != 0 {
			if int64(p)/b != a || int64(p)%b != 0 {
				t.Fatalf("%d × %d: got %d", a, b, p)
			}
		}
	})
	if _, err := Credits(math.MaxInt64).Add(1); !errors.Is(err, ErrOverflow) {
		t.Fatalf("got %v, want ErrOverflow", err)
	}
	if _, err := Credits(math.MinInt64).Mul(-1); !errors.Is(err, ErrOverflow) {
		t.Fatalf("got %v, want ErrOverflow", err)
	}
}

func TestCentsString(t *testing.T) {
	t.Parallel()
	for in, want := range map[Cents]string{0: "0.00", 5: "0.05", 1900: "19.00", -1: "-0.01", math.MinInt64: "-92233720368547758.08"} {
		if got := in.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzParseUSDC(f *testing.F) {
	for _, s := range []string{"0.01", "1", "9223372036854.775808", "", ".", "1e9", "0.0000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseUSDC(s)
		if err != nil {
			return
		}
		if m < 0 {
			t.Fatalf("%q: got a negative amount %d", s, m)
		}
		if back, err := ParseUSDC(m.String()); err != nil || back != m {
			t.Fatalf("%q: got %d, %v; want %d", s, back, err, m)
		}
	})
}
