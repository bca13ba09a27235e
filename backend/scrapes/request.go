package scrapes

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

// Request is the body of POST /v1/scrapes.
type Request struct {
	URL string `json:"url_to_scrape" minLength:"1" maxLength:"8192" doc:"The URL of the page: an absolute http or https URL." example:"https://example.com/"`
	page.Options

	Record   bool           `json:"record,omitempty" default:"false" doc:"Whether to store the requests and responses as WARC, in addition to the content. See warc_hosted_url."`
	MaxAge   int            `json:"max_age,omitempty" minimum:"0" maximum:"604800" doc:"How old the content may be, in seconds. If you have scraped the URL with the same options before and the content is not older, it is returned without a request to the host. The price is the same. Default: 0, always fetch the page."`
	Metadata metadata.Input `json:"metadata,omitempty"`
}

// copyKey is equal for requests that get the same content of the same page. It has the URL, all options with their defaults
// and the version of the parser, so a new version is not answered with what an earlier one made.
func (r *Request) copyKey(p *plan) ([]byte, error) {
	same := Request{URL: p.url.String(), Options: r.Options, Record: r.Record}
	same.Formats = slices.Sorted(slices.Values(p.formats))
	same.Render, same.Country = p.render, strings.ToUpper(p.country)
	if p.parser != "" {
		same.Parser = page.ParserInput(strconv.Quote(p.parser))
	}
	written, err := json.Marshal(same)
	if err != nil {
		return nil, fmt.Errorf("writing request: %w", err)
	}
	sum := sha256.Sum256(written)
	return sum[:], nil
}

// countries are the assigned codes of ISO 3166-1.
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ " +
	"NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
	"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "

// isCountry accepts codes in either case, and RANDOM.
func isCountry(code string) bool {
	code = strings.ToUpper(code)
	return code == "RANDOM" || (len(code) == 2 && strings.Contains(countries, " "+code+" "))
}

// linkFilter chooses and orders a page's links.
type linkFilter struct {
	asWritten bool
	orderBy   string
	keep      glob.Set
}

// ctxEvery is after how many links the context is checked.
const ctxEvery = 64

func newLinkFilter(in *page.LinksInput) (*linkFilter, []problem.Fault) {
	f := &linkFilter{
		asWritten: in.AbsoluteLinks != nil && !*in.AbsoluteLinks,
		orderBy:   in.OrderBy,
	}
	var faults, more []problem.Fault
	f.keep.Include, faults = glob.Compile(in.Include, "body", "links_on_page", "include_links")
	f.keep.Exclude, more = glob.Compile(in.Exclude, "body", "links_on_page", "exclude_links")
	return f, append(faults, more...)
}

// apply returns the links that the filter keeps, in its order, or the context's error.
func (f *linkFilter) apply(ctx context.Context, found []links.Link) ([]string, error) {
	var kept []links.Link
	for i, l := range found {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u, _ := fetch.ParseURL(l.URL) // invalid URLs are the zero URL, which no glob matches
		if f.keep.Keeps(u) {
			kept = append(kept, l)
		}
	}
	if f.orderBy != "" {
		var err error
		if kept, err = links.Rank(ctx, kept, f.orderBy); err != nil {
			return nil, err
		}
	}
	out := make([]string, 0, len(kept))
	for _, l := range kept {
		if f.asWritten {
			out = append(out, l.Href)
		} else {
			out = append(out, l.URL)
		}
	}
	return out, nil
}
