package frontier

import (
	"errors"
	"net/netip"
	"path"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/glob"
)

// Place is where a URL lies, seen from a crawl or map.
type Place int

// The places.
const (
	// Out is not to be fetched or listed.
	Out Place = iota
	// Internal is of the site.
	Internal
	// External is of another site, and wanted all the same. Nothing that it leads to is.
	External
)

// Config says what a crawl or map is about.
type Config struct {
	// Start is where it begins, and always in scope.
	Start fetch.URL
	// Landed is where Start was found to redirect to; the zero URL where it does not, or that is not known yet. Its host is
	// in scope where it is one of the site: that of Start, or another of the same registrable domain.
	Landed fetch.URL
	// Subdomains takes in all hosts of the same registrable domain.
	Subdomains bool
	// Externals takes in pages of other sites.
	Externals bool
	// Globs choose among the URLs of the site. Exclusion wins.
	Globs glob.Set
}

// Scope is what a crawl or map is about. It is safe for concurrent use.
type Scope struct {
	config Config
	start  ID
	hosts  [2]string
	domain string
	moved  bool
}

// NewScope returns the scope that config describes.
func NewScope(config Config) (*Scope, error) {
	if config.Start.IsZero() {
		return nil, errors.New("a scope needs a URL to start at")
	}
	s := &Scope{config: config, hosts: [2]string{config.Start.Host(), config.Start.Host()}, domain: registrableDomain(config.Start.Hostname())}
	_, s.start = Key(config.Start)
	if landed := config.Landed; !landed.IsZero() && landed.Host() != s.hosts[0] {
		if s.related(landed) {
			s.hosts[1] = landed.Host()
		} else {
			s.moved = true
		}
	}
	return s, nil
}

// Moved reports whether the start page has turned out to be of another site. It is then the only page.
func (s *Scope) Moved() bool { return s.moved }

// Place says where u lies. Files that are no pages are out, wherever they are.
func (s *Scope) Place(u fetch.URL) Place {
	switch {
	case u.IsZero():
		return Out
	case s.isStart(u):
		return Internal
	case IsFile(u):
		return Out
	case u.Host() == s.hosts[0], u.Host() == s.hosts[1], s.config.Subdomains && s.related(u):
		if s.config.Globs.Keeps(u) {
			return Internal
		}
	case s.config.Externals:
		return External
	}
	return Out
}

func (s *Scope) isStart(u fetch.URL) bool {
	if u.Host() != s.hosts[0] {
		return false
	}
	_, id := Key(u)
	return id == s.start
}

// isFar reports whether all URLs of a host, with its port, are out, so that they need not be parsed to be placed.
func (s *Scope) isFar(host string) bool {
	return !s.config.Externals && !s.config.Subdomains && host != s.hosts[0] && host != s.hosts[1]
}

// related reports whether u is of the registrable domain of the start.
func (s *Scope) related(u fetch.URL) bool {
	if s.domain == "" {
		return false
	}
	host := u.Hostname()
	return (host == s.domain || strings.HasSuffix(host, "."+s.domain)) && registrableDomain(host) == s.domain
}

// registrableDomain is the part of a host that somebody registered, by the public suffix list with the suffixes of those
// who give out names below their own; "" for an address, and for a suffix.
func registrableDomain(hostname string) string {
	if _, err := netip.ParseAddr(strings.Trim(hostname, "[]")); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(hostname, "."))
	if err != nil {
		return ""
	}
	return domain
}

// files are the endings of what is no page: archives, media, fonts, programs and what pages are made of. Documents that
// have text (PDF, office formats, feeds, JSON) are not among them.
var files = func() map[string]bool {
	all := map[string]bool{}
	for ending := range strings.FieldsSeq(`
		7z apk bz2 cab deb dmg gz iso jar msi pkg rar rpm tar tgz war xz zip zst
		aac aiff avi flac flv m3u8 m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus wav weba webm wma wmv
		avif bmp cur gif heic heif ico jpeg jpg jxl png psd svg tif tiff webp
		eot otf ttf woff woff2
		bin class dll dylib exe msix o so wasm
		css js map mjs swf torrent`) {
		all["."+ending] = true
	}
	return all
}()

// IsFile reports whether u ends like what is no page. A sitemap may be a .gz, but nobody crawls into one.
func IsFile(u fetch.URL) bool {
	target, _, _ := strings.Cut(u.PathAndQuery(), "?")
	ending := path.Ext(target)
	return len(ending) > 1 && len(ending) < 10 && files[strings.ToLower(ending)]
}
