package monitors

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnpike-edge/turnpike/backend/compare"
)

// Few pages of the set are small. So the model also learns from parts of them: crops are a few blocks with the title, and nothing is known of
// their past.
const (
	cropsOfVersion = 3
	cropMin        = 2
	cropMax        = 14
)

// crops list what differs in some parts of a page. Only what all looks show of the whole page is settled.
func crops(before, after *compare.Page, then, now time.Time, options compare.Options, whole []compare.Finding, r *rand.Rand) (found []compare.Finding) {
	count := func(p *compare.Page) map[string]int {
		in := map[string]int{}
		for i := range p.Blocks {
			in[p.Blocks[i].Text]++
		}
		return in
	}
	inBefore, inAfter, anchors := count(before), count(after), [][2]int{}
	for i := range before.Blocks {
		text := before.Blocks[i].Text
		if inBefore[text] == 1 && inAfter[text] == 1 {
			at := slices.IndexFunc(after.Blocks, func(b compare.Block) bool { return b.Text == text })
			if n := len(anchors); n == 0 || at > anchors[n-1][1] {
				anchors = append(anchors, [2]int{i, at})
			}
		}
	}
	type gap struct{ from, to int }
	var gaps []gap // between neighbouring anchors where something differs
	for i := 1; i < len(anchors); i++ {
		if anchors[i][0]-anchors[i-1][0] > 1 || anchors[i][1]-anchors[i-1][1] > 1 {
			gaps = append(gaps, gap{i - 1, i})
		}
	}
	settled := map[string]bool{}
	for i := range whole {
		if f := &whole[i]; f.Settled {
			settled[f.Was+"\x00"+f.Now] = true
		}
	}
	for range min(cropsOfVersion, len(gaps)) {
		g := gaps[r.IntN(len(gaps))]
		from, to := max(0, g.from-r.IntN(cropMin+2)), min(len(anchors)-1, g.to+r.IntN(cropMin+2))
		if anchors[to][1]-anchors[from][1] > cropMax || anchors[to][0]-anchors[from][0] > cropMax {
			continue
		}
		diff := compare.Compare(compare.NewSnapshot(then, crop(before, anchors[from][0], anchors[to][0])),
			compare.NewSnapshot(now, crop(after, anchors[from][1], anchors[to][1])), nil, options)
		for i := range diff.Findings {
			if f := &diff.Findings[i]; settled[f.Was+"\x00"+f.Now] {
				found = append(found, *f)
			}
		}
	}
	return found
}

// crop is a part of a page with its title and first heading.
func crop(p *compare.Page, from, to int) compare.Page {
	kept := []int{}
	for i := range p.Blocks {
		if i >= from && i <= to || p.Blocks[i].Kind == compare.KindTitle || p.Blocks[i].Level == 1 && i < from {
			kept = append(kept, i)
		}
	}
	out, number := *p, map[int]int{}
	out.Blocks = nil
	for _, i := range kept {
		b := p.Blocks[i]
		number[i+1] = len(out.Blocks) + 1
		b.Under, b.Head = number[b.Under], number[b.Head]
		out.Blocks = append(out.Blocks, b)
	}
	return out
}
