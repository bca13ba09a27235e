package maincontent

// PoorBelow is the quality below which a page is better tried again in a browser: so little of it can be told apart that
// its content is likely to be missing. About one page in ten of the benchmark is below (bench/README.md).
const PoorBelow = 0.6

// plentyWords is from where on what was chosen is enough to go by. Below, a page may be a shell with a notice for
// readers without scripts, which reads like content and stands alone.
const plentyWords = 30

// Quality is how well the choice is likely to be: the F1 that is expected, less where next to nothing was chosen.
func (p *Page) Quality(c Choice) float64 {
	words := 0
	for i, chosen := range c.Blocks {
		if chosen {
			words += p.Blocks[i].Words
		}
	}
	return min(c.Expected, 1) * min(float64(words)/plentyWords, 1)
}
