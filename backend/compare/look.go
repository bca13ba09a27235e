package compare

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Reasons why a block is noise by what it looks like.
const (
	noiseAdvert     = "advert"
	noisePromotion  = "promotion"
	noiseSuggestion = "recommendation"
	noiseOverlay    = "overlay"
	noiseCounter    = "counter"
	noiseClock      = "clock"
	noiseSession    = "session"
	noiseCart       = "cart"
	noiseRotation   = "rotation"
	noiseTrial      = "trial"
	// noiseDaily goes with the day by its own name: "Saying of the day". Unlike the others it is compared where it is watched.
	noiseDaily = "daily"
)

// lookWords are words of classes and ids by what they are used for, in the trade's common vocabulary.
var lookWords = func() map[string]string {
	all := map[string]string{}
	for reason, words := range map[string]string{
		noiseAdvert: `ad ads advert adverts advertisement advertising advertorial adslot adunit adbox adspace adwrap adcontainer adsense adsbygoogle
			adtech adzone sponsored doubleclick taboola outbrain mpu leaderboardad skyscraper anzeige werbung publicite publicidad reklame`,
		noisePromotion: `promo promos promotion promotions promobar upsell newsletter subscribe cta campaign teaserbar`,
		noiseSuggestion: `related recommended recommend recommendation recommendations recs suggestion suggestions suggested similar crosssell alsolike alsobought
			alsoviewed trending youmaylike recentlyviewed mostread mostpopular foryou morelikethis`,
		noiseOverlay: `cookie cookies consent gdpr popup toast snackbar lightbox interstitial chatbot livechat chatwidget`,
		noiseCounter: `visitors visitor visits pageviews pageview views viewcount viewers viewing hitcounter hitcount counter likecount sharecount
			shares followers watchers watching impressions socialproof fomo presence activeusers`,
		noiseClock: `clock generated lastupdated updated updatedat servertime currenttime localtime countdown timer timeago rendertime buildtime lastmodified asof
			timestamp livetime heartbeat`,
		noiseSession:  `sessionid sessioninfo csrf nonce debug trace traceid requestid reqid correlation fingerprint diagnostics telemetry serverid hostname`,
		noiseCart:     `minicart cartcount cartbadge basketcount cartwidget carticon`,
		noiseRotation: `testimonial testimonials ticker weather rotator rotating rotate random fortune quoteoftheday tipoftheday didyouknow carousel marquee shuffle`,
		noiseTrial:    `abtest experiment abvariant splittest`,
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = reason
		}
	}
	return all
}()

// factWords are words of classes beside which lookWords mean something else: "promo-price", "ad-status", "updated-version".
var factWords = setOf(`price prices stock availability status version incident outage alert salary deadline release fact spec specs
	product job event article post thread reply comment changelog entry row cell main content page body wrapper layout container site item title heading
		headline no without has hide`)

// pairedReasons are pairs of words in a class that mean what neither does alone.
var pairedReasons = map[string]string{
	"page views": noiseCounter, "view count": noiseCounter, "last updated": noiseClock, "last modified": noiseClock, "current time": noiseClock, "server time": noiseClock,
	"request id": noiseSession, "session id": noiseSession, "session info": noiseSession, "views count": noiseCounter, "views number": noiseCounter,
	"views total": noiseCounter, "cart count": noiseCart, "cart items": noiseCart, "mini cart": noiseCart, "basket count": noiseCart, "cart badge": noiseCart,
	"cart summary": noiseCart, "header cart": noiseCart, "cart status": noiseCart, "cart widget": noiseCart, "cart link": noiseCart, "basket status": noiseCart,
	"also like": noiseSuggestion, "also bought": noiseSuggestion, "also viewed": noiseSuggestion, "cross sell": noiseSuggestion, "may like": noiseSuggestion,
	"most read": noiseSuggestion, "most popular": noiseSuggestion, "recently viewed": noiseSuggestion, "for you": noiseSuggestion, "more stories": noiseSuggestion,
	"social proof": noiseCounter, "hit counter": noiseCounter, "share count": noiseCounter, "like count": noiseCounter,
	"of day": noiseRotation, "did you": noiseRotation, "ab test": noiseTrial, "split test": noiseTrial, "variant a": noiseTrial,
	"variant b": noiseTrial, "variant c": noiseTrial, "sign up": noisePromotion, "announcement bar": noisePromotion, "promo banner": noisePromotion,
	"cookie banner": noiseOverlay, "time ago": noiseClock, "time left": noiseClock, "build time": noiseClock, "build id": noiseSession, "served by": noiseSession,
	"render time": noiseClock, "as of": noiseClock, "page time": noiseClock,
}

// lookOf says why an element is noise by its markup, or "".
func (r *reader) lookOf(n *html.Node) string {
	if f := r.facts[n]; f.headed && 2*f.bytes > r.bytesAll {
		return "" // it is the page, whatever it says of itself
	}
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "class", "id":
			reason := r.lookOfClass(a.Val)
			if a.Key == "id" && reason == noiseAdvert && isDrawnName(a.Val) {
				continue
			}
			if reason == noisePromotion && isAmount(textOf(n)) || reason == noiseCart && n.DataAtom == atom.Button {
				continue
			}
			if reason != "" && !r.isContent(n, reason) {
				return reason
			}
		case "data-experiment", "data-experiment-id", "data-ab", "data-ab-test", "data-abtest", "data-ab-variant", "data-split-test", "data-optimizely":
			if !r.isContent(n, noiseTrial) {
				return noiseTrial
			}
		case "data-variant":
			if isArm(a.Val) && !r.isContent(n, noiseTrial) {
				return noiseTrial
			}
		case "data-ad", "data-ad-slot", "data-ad-client", "data-ad-unit", "data-adunit", "data-google-query-id", "data-ad-id":
			return noiseAdvert
		case "aria-label", "data-testid", "data-component", "data-role", "data-widget", "data-module":
			if reason := r.lookOfClass(a.Val); len(a.Val) < 40 && reason != "" && reason != noiseClock {
				return reason
			}
		}
	}
	return ""
}

// isDrawnName reports whether an id says no more of an advert than a number in hexadecimal may: "item-ad", "rel-4ad".
func isDrawnName(id string) bool {
	words := classWords(id)
	return len(words) > 1 && words[len(words)-1] == "ad" && !slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return lookWords[w] != "" })
}

// A clock, a counter and the like are small, and a trial is of a wording. What holds more is content, whatever its markup says of it.
const (
	smallBytesMax  = 600
	trialLeavesMax = 3
	trialBytesMax  = 300
)

// isContent reports whether an element holds too much to be noise of a kind.
func (r *reader) isContent(n *html.Node, reason string) bool {
	f := r.facts[n]
	switch reason {
	case noiseClock, noiseCounter, noiseSession, noiseCart:
		return f.bytes > smallBytesMax
	case noiseTrial:
		return f.leaves > trialLeavesMax || f.nested || f.bytes > trialBytesMax
	}
	return false
}

// isArm reports whether a value names the arm of a trial: "a", "B", "control".
func isArm(value string) bool {
	switch value = strings.ToLower(value); value {
	case "control", "treatment", "test", "variant":
		return true
	}
	return len(value) == 1 && (value[0] >= 'a' && value[0] <= 'z' || value[0] >= '0' && value[0] <= '9')
}

// lookOfClass reads the words of a class attribute. Elements share classes, so it is done once for each.
func (r *reader) lookOfClass(class string) string {
	if len(class) > 300 {
		return ""
	}
	if reason, ok := r.looks[class]; ok {
		return reason
	}
	reason := ""
	for name := range strings.FieldsSeq(class) {
		if reason = lookOfWords(classWords(name)); reason != "" {
			break
		}
	}
	r.looks[class] = reason
	return reason
}

func lookOfWords(words []string) string {
	if slices.ContainsFunc(words, func(w string) bool { return factWords[w] }) {
		return pairedReason(words, true)
	}
	for i, word := range words {
		if word == "views" && i < len(words)-1 {
			continue // as a content management system calls its lists
		}
		if reason := lookWords[word]; reason != "" {
			return reason
		}
	}
	if reason := lookWords[strings.Join(words, "")]; reason != "" {
		return reason
	}
	return pairedReason(words, false)
}

// pairedReason reads words two by two. Beside a word of facts only what is said of the page itself counts.
func pairedReason(words []string, facts bool) string {
	for i := 1; i < len(words); i++ {
		reason := pairedReasons[words[i-1]+" "+words[i]]
		if reason != "" && (!facts || words[i-1] == "page" || reason == noiseSuggestion || reason == noiseAdvert) {
			return reason
		}
	}
	return ""
}

// classWords are the words of a class name, in lower case: cut at signs, at digits, and where a capital follows a small letter. A
// part that has letters after digits was generated, and says nothing, nor does a number in hexadecimal behind others: "container-ad41".
func classWords(name string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '/' }) {
		digit := strings.IndexAny(part, "0123456789")
		if digit >= 0 && len(words) > 0 && len(part) >= 4 && strings.Trim(part, "0123456789abcdef") == "" {
			continue
		}
		if digit < 0 || strings.Trim(part[digit:], "0123456789") == "" {
			words = append(words, partWords(part)...)
		}
	}
	return words
}

func partWords(name string) []string {
	var words []string
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && isLetter(name[i]) && (i == start || !isCapital(name[i]) || isCapital(name[i-1])) {
			continue
		}
		if i > start {
			words = append(words, strings.ToLower(name[start:i]))
		}
		start = i
		if i < len(name) && !isLetter(name[i]) {
			start++
		}
	}
	return words
}

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// formOf is what an element looks like: its name and the words of its classes, without those that a build generates.
func formOf(n *html.Node) string {
	form := n.Data
	for i := range n.Attr {
		if n.Attr[i].Key != "class" {
			continue
		}
		names := strings.Fields(cutText(n.Attr[i].Val, 200))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if !strings.ContainsAny(name, "0123456789") && !strings.Contains(name, "active") && !endsInHex(name) && len(form)+len(name) < 60 {
				form += "." + name
			}
		}
	}
	return form
}

// endsInHex reports whether a class ends in a number in hexadecimal that has happened to come out without a digit, "container-dcea", and not
// in a word.
func endsInHex(name string) bool {
	last := name[strings.LastIndexByte(name, '-')+1:]
	return len(last) < len(name) && len(last) >= 4 && strings.Trim(last, "abcdef") == "" && !hexWords[last]
}

// hexWords are what words there are of the digits from a to f.
var hexWords = setOf(`face faced faces fade faded facade cafe dead deaf bead beaded beef feed deed decade added babe accede`)

// isHidden reports whether an element is not shown.
func isHidden(n *html.Node) bool {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// besideWords stand before the name of a part in the name of what is beside it or around it: "has-sidebar", "below-header".
var besideWords = setOf(`with without has no for above below beside under near after before`)

// partOf is the part of the page that an element begins, "" for none.
func partOf(n *html.Node, inMain bool) string {
	switch n.DataAtom {
	case atom.Nav:
		return "nav"
	case atom.Aside:
		return "aside"
	case atom.Header:
		if !inMain {
			return "header"
		}
	case atom.Footer:
		if !inMain {
			return "footer"
		}
	}
	switch strings.ToLower(attribute(n, "role")) {
	case "navigation", "menubar":
		return "nav"
	case "banner":
		return "header"
	case "contentinfo":
		return "footer"
	case "complementary":
		return "aside"
	case "dialog", "alertdialog":
		return "dialog"
	}
	for _, key := range []string{"class", "id"} {
		for name := range strings.FieldsSeq(cutText(attribute(n, key), 200)) {
			words := classWords(name)
			if len(words) > 1 && besideWords[words[len(words)-2]] {
				continue
			}
			if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return factWords[w] && w != "site" && w != "page" && w != "main" }) {
				continue
			}
			switch words[len(words)-1] {
			case "nav", "navbar", "navigation", "breadcrumb", "breadcrumbs", "topnav", "sidenav":
				return "nav"
			case "footer", "colophon", "foot", "bottom":
				if !inMain {
					return "footer"
				}
			case "masthead", "topbar", "header", "top":
				if !inMain && n.DataAtom != atom.H1 {
					return "header"
				}
			case "sidebar", "rail", "aside":
				return "aside"
			}
		}
	}
	return ""
}

// An offer is small, and says one price or a few.
const (
	offerBytesMax  = 800
	offerPricesMax = 3
)

// isOffer reports whether an element beside the text of the content is where what the page tells of is to be had: it says a price, and has
// a button.
func isOffer(n *html.Node) bool {
	text := textOf(n)
	if len(text) > offerBytesMax || !hasButton(n) {
		return false
	}
	prices := 0
	for _, t := range tokensOf(text, "") {
		if t.kind == tokenMoney {
			prices++
		}
	}
	return prices > 0 && prices <= offerPricesMax
}

func hasButton(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.DataAtom == atom.Button || c.DataAtom == atom.Form || c.DataAtom == atom.Input {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

// isAmount reports whether a text is hardly more than an amount of money: what is on offer has its price marked so.
func isAmount(text string) bool {
	tokens := tokensOf(cutText(text, labelBytesMax), "")
	for i := range tokens {
		if tokens[i].kind == tokenMoney {
			return len(tokens) <= 4
		}
	}
	return false
}
