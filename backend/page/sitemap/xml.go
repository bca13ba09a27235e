package sitemap

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// readXML reads a urlset or sitemapindex. It tolerates wrong namespaces and unknown entities. Entities that a document
// declares are not expanded, so that none can grow.
func readXML(s *source, o Options, yield func(Entry, error) bool) error {
	decoder := xml.NewDecoder(s)
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decoded already
	x := &xmlReader{options: o, yield: yield}
	for {
		s.begin()
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			if len(x.path) == 0 && x.root == "" {
				return fmt.Errorf("%w: no element", ErrNoSitemap)
			}
			return nil
		case err != nil:
			return x.faulty(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = x.start(t.Name)
		case xml.CharData:
			x.write(t)
		case xml.EndElement:
			err = x.end()
		}
		if err != nil {
			return err
		}
	}
}

// xmlReader is the state of the parser.
type xmlReader struct {
	options Options
	yield   func(Entry, error) bool
	entries int

	root  string
	path  []string // local names of the open elements
	space string   // the namespace of the entry's own element
	// field is the path of the open element below the entry; "" if it is not read.
	field string
	text  strings.Builder
	loc   string
	entry Entry
	image struct{ loc, title, caption string }
}

// faulty converts a parser error: a syntax error before the first element means that the document is not a sitemap.
func (x *xmlReader) faulty(err error) error {
	var syntax *xml.SyntaxError
	if x.root == "" && errors.As(err, &syntax) {
		return fmt.Errorf("%w: %w", ErrNoSitemap, err)
	}
	return classify(err)
}

func (x *xmlReader) start(name xml.Name) error {
	if len(x.path) >= depthMax {
		return fmt.Errorf("%w: elements nested more than %d deep", ErrMalformed, depthMax)
	}
	local := strings.ToLower(name.Local)
	x.path = append(x.path, local)
	x.field = ""
	x.text.Reset()
	switch len(x.path) {
	case 1:
		if x.root != "" {
			return fmt.Errorf("%w: a second root element", ErrMalformed)
		}
		if local != "urlset" && local != "sitemapindex" {
			return fmt.Errorf("%w: the root element is %.40q", ErrNoSitemap, local)
		}
		x.root = local
	case 2:
		if !x.inEntry() {
			return nil
		}
		if x.entries == x.options.EntriesMax {
			return fmt.Errorf("%w: more than %d entries", ErrTooMany, x.options.EntriesMax)
		}
		x.entries++
		x.loc, x.space, x.entry = "", name.Space, Entry{Index: local == "sitemap"}
	default:
		if x.inEntry() {
			x.field = strings.Join(x.path[2:], "/")
		}
		// A loc of another vocabulary is not the page's.
		if len(x.path) == 3 && name.Space != x.space && local != "image" && local != "news" {
			x.field = ""
		}
		if x.field == "image" {
			x.image.loc, x.image.title, x.image.caption = "", "", ""
		}
	}
	return nil
}

// inEntry reports whether the position is in an entry. Some sites put a sitemap into a urlset, or the reverse: the
// element's name decides.
func (x *xmlReader) inEntry() bool {
	return len(x.path) >= 2 && (x.path[1] == "url" || x.path[1] == "sitemap")
}

func (x *xmlReader) write(text []byte) {
	if x.field != "" && x.text.Len() <= urlBytesMax {
		x.text.Write(text[:min(len(text), urlBytesMax+1)])
	}
}

// end closes the innermost element. The decoder ensures that there is one.
func (x *xmlReader) end() error {
	depth := len(x.path)
	if depth == 0 {
		return fmt.Errorf("%w: an end tag without a start tag", ErrMalformed)
	}
	if x.field != "" {
		x.set(strings.TrimSpace(x.text.String()))
	}
	field := ""
	if depth == 3 && x.inEntry() {
		field = x.path[2]
	}
	listed := depth == 2 && x.inEntry()
	x.path, x.field = x.path[:depth-1], ""
	x.text.Reset()
	switch {
	case field == "image":
		x.addImage()
	case listed:
		return x.list()
	}
	return nil
}

// set stores the text of the field that ends.
func (x *xmlReader) set(text string) {
	if strings.HasPrefix(x.field, "news/") && x.entry.News == nil {
		x.entry.News = &News{}
	}
	switch x.field {
	case "loc":
		if x.loc == "" {
			x.loc = text
		}
	case "lastmod":
		x.entry.LastMod = date(text)
	case "changefreq":
		x.entry.ChangeFreq = words(text)
	case "priority":
		x.entry.Priority = words(text)
	case "image/loc":
		x.image.loc = text
	case "image/title":
		x.image.title = words(text)
	case "image/caption":
		x.image.caption = words(text)
	case "news/title":
		x.entry.News.Title = words(text)
	case "news/keywords":
		x.entry.News.Keywords = words(text)
	case "news/publication_date":
		x.entry.News.Published = date(text)
	case "news/publication/name":
		x.entry.News.Publication = words(text)
	case "news/publication/language":
		x.entry.News.Language = words(text)
	}
}

func (x *xmlReader) addImage() {
	if u, ok := x.resolve(x.image.loc); ok && len(x.entry.Images) < imagesMax {
		x.entry.Images = append(x.entry.Images, Image{URL: u, Title: x.image.title, Caption: x.image.caption})
	}
}

// list returns the entry that ends to the consumer.
func (x *xmlReader) list() error {
	u, ok := x.resolve(x.loc)
	if !ok {
		return nil
	}
	x.entry.URL = u
	if !x.yield(x.entry, nil) {
		return errStopped
	}
	return nil
}

func (x *xmlReader) resolve(ref string) (fetch.URL, bool) {
	if ref == "" || len(ref) > urlBytesMax {
		return fetch.URL{}, false
	}
	if x.options.Base.IsZero() {
		u, err := fetch.ParseURL(ref)
		return u, err == nil
	}
	u, err := x.options.Base.Resolve(ref)
	return u, err == nil
}

// words cuts a text that is too long, between characters.
func words(text string) string {
	if len(text) <= wordsBytesMax {
		return text
	}
	end := wordsBytesMax
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end])
}
