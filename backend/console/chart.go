package console

import (
	"fmt"
	"time"
)

// chart shows the usage of each day as bars, rendered as SVG by the template. Lengths are in its own units.
type chart struct {
	Width, Height int
	Left, Bottom  int // origin of the axes
	Right         int
	Bars          []chartBar
	Grid          []chartMark // lines of amounts
	Days          []chartMark // days that are labelled
	Words         string      // a description for screen readers
	Span          string      // its span
}

type chartBar struct {
	X, Y, Width, Height int
	Title               string
}

type chartMark struct {
	At   int
	Text string
}

const (
	chartWidth, chartHeight = 720, 240
	chartLeft, chartBottom  = 80, 208
	chartTop, chartRight    = 12, 694
	chartGridLines          = 4
	chartDaysMax            = 366
	chartDaysNamed          = 7 // every so many days one is labelled
)

// chartOf draws usage by day, including days without charges. It returns nil if there were no charges at all.
func chartOf(u *usage) *chart {
	byDay := map[string]int64{}
	var most, sum int64
	for _, row := range u.Rows {
		byDay[row.Day] = row.Credits
		most = max(most, row.Credits)
		sum += row.Credits
	}
	first, last := u.From.UTC().Truncate(24*time.Hour), u.To.UTC().Add(-1).Truncate(24*time.Hour)
	days := int(last.Sub(first)/(24*time.Hour)) + 1
	if most <= 0 || days < 1 || days > chartDaysMax {
		return nil
	}
	top := niceTop(most)
	c := &chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Bottom: chartBottom, Right: chartRight}
	for i := int64(0); i <= chartGridLines; i++ {
		c.Grid = append(c.Grid, chartMark{At: chartBottom - int(i*(chartBottom-chartTop)/chartGridLines), Text: number(top * i / chartGridLines)})
	}
	step := float64(chartRight-chartLeft) / float64(days)
	best, bestDay := int64(-1), ""
	for i := range days {
		day := first.AddDate(0, 0, i)
		credits := byDay[day.Format(time.DateOnly)]
		if credits > best {
			best, bestDay = credits, day.Format("2 January")
		}
		x, width := chartLeft+int(float64(i)*step), max(2, int(step)-3)
		height := int(credits * (chartBottom - chartTop) / top)
		if credits > 0 {
			height = max(height, 2)
		}
		c.Bars = append(c.Bars, chartBar{
			X: x + 2, Y: chartBottom - height, Width: width, Height: height,
			Title: day.Format("2 January") + ": " + counted(credits, "credit", "credits"),
		})
		if (days-1-i)%chartDaysNamed == 0 && days <= 31 || i == 0 && days > 31 || i == days-1 && days > 31 {
			c.Days = append(c.Days, chartMark{At: x + 2 + width/2, Text: day.Format("2 Jan")})
		}
	}
	c.Span = fmt.Sprintf("%s to %s", first.Format("2 January 2006"), last.Format("2 January 2006"))
	c.Words = fmt.Sprintf("Bar chart of the credits charged each day from %s: %s in total, the most on %s with %s.",
		c.Span, number(sum), bestDay, number(best))
	return c
}

// niceTop is the round number at or above n for the top grid line: 4, 8, 20, 40, 80, 200, …
func niceTop(n int64) int64 {
	for unit := int64(1); unit < 1<<58; unit *= 10 {
		for _, step := range []int64{4, 8, 20} {
			if step*unit >= n {
				return step * unit
			}
		}
	}
	return n
}
