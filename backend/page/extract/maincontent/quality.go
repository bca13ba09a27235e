package maincontent

// PoorBelow is the quality below which a page should be tried again in a browser: the content could not be separated well
// and is likely to be missing. About one page in ten of the benchmark is below (bench/README.md).
const PoorBelow = 0.6

// plentyWords is how many chosen words are enough to trust the choice. With fewer, a page may be a shell with a notice
// for browsers without scripts, which reads like content and stands alone.
const plentyWords = 30

// Quality is the expected quality of the choice: its expected F1, less if very little was chosen.
func (p *Page) Quality(c Choice) float64 {
	words := 0
	for i, chosen := range c.Blocks {
		if chosen {
			words += p.Blocks[i].Words
		}
	}
	return min(c.Expected, 1) * min(float64(words)/plentyWords, 1)
}
