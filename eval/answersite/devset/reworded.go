package devset

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// NewReworded makes a set of the same worlds with other words, markup and tasks, so that what is done for the one is seen to
// hold for the other, or not. origin is as in New.
func NewReworded(origin func(host string) string) *answersite.Set {
	b := &builder{Set: answersite.NewSet("reworded", origin), r: answersite.Rand(2), reworded: true}
	b.all()
	return b.Set
}

// words are how a fact is said otherwise: labels, and a sentence around the value.
var words = map[string]struct {
	labels []string
	said   string
}{
	"population":            {[]string{"Residents", "People living here"}, "%s residents were counted at the last census."},
	"area_km2":              {[]string{"Size", "Territory"}, "Its territory measures %s."},
	"mayor":                 {[]string{"Lord mayor", "Mayor since 2023"}, "The council is chaired by mayor %s."},
	"founded":               {[]string{"Established", "Year of foundation"}, "Its history goes back to %s, when it was established."},
	"elevation_m":           {[]string{"Altitude"}, "At an altitude of %s the wind never rests."},
	"postal_code":           {[]string{"ZIP / postal code"}, "Its postal code is %s."},
	"website":               {[]string{"Official site", "On the web"}, "More on the official site %s in two languages."},
	"position":              {[]string{"Title", "Job title"}, "Current job title: %s."},
	"department":            {[]string{"Unit", "Belongs to department"}, "A member of the department of %s."},
	"email":                 {[]string{"E-mail address", "Send mail to"}, "You can reach us by e-mail: %s."},
	"phone":                 {[]string{"Phone number", "Call us"}, "By phone: %s."},
	"room":                  {[]string{"Office or counter"}, "Come to office or counter %s."},
	"joined":                {[]string{"Start year at Orrin", "Joined in"}, "Joined in %s."},
	"languages":             {[]string{"Speaks"}, "Speaks %s."},
	"orcid_url":             {[]string{"Researcher profile"}, "Researcher profile: %s on an outside server."},
	"price":                 {[]string{"Costs", "Price today", "Unit price"}, "It costs %s at our shop."},
	"weight_kg":             {[]string{"Item weight", "Weighs"}, "With a weight of %s it is easy to carry."},
	"sku":                   {[]string{"Product code (SKU)", "Ref. (SKU)"}, "Product code (SKU): %s."},
	"warranty_months":       {[]string{"Warranty period"}, "It is covered by a warranty for %s."},
	"colours":               {[]string{"Colour options"}, "Colour options: %s."},
	"availability":          {[]string{"Availability today", "Status in the warehouse"}, "Availability: %s."},
	"manufacturer":          {[]string{"Maker", "Producer"}, "Its maker is %s."},
	"rating":                {[]string{"Customer rating"}, "Customers gave it a rating of %s on average."},
	"opening_hours":         {[]string{"Hours", "Opening times"}, "Opening times are %s."},
	"closed_on":             {[]string{"Closing day", "Not open on"}, "We are not open on %s."},
	"admission_adult":       {[]string{"Tickets, adults", "Adult price"}, "The adult price is %s."},
	"address":               {[]string{"Location", "Street"}, "The address is %s."},
	"contact/phone":         {[]string{"Phone number", "Call"}, "To call us, dial %s."},
	"contact/email":         {[]string{"Mail us at"}, "Mail us at %s."},
	"wheelchair_accessible": {[]string{"Accessible by wheelchair"}, "Accessible by wheelchair: %s."},
	"dogs_allowed":          {[]string{"Are dogs allowed"}, "Are dogs allowed: %s."},
	"opened":                {[]string{"First opened", "Open since"}, "The doors first opened on %s."},
	"prep_minutes":          {[]string{"Prep", "Preparation time"}, "Prep needs %s."},
	"cook_minutes":          {[]string{"Cook time", "Time on the stove"}, "Then cook it for %s."},
	"servings":              {[]string{"Yield (servings)", "For how many"}, "Servings: %s."},
	"calories":              {[]string{"Calories", "Nutrition per serving"}, "That makes %s per serving."},
	"ingredients":           {[]string{"What you need", "Shopping list"}, "Ingredients to buy: %s."},
	"author":                {[]string{"Written by", "By"}, "Written by %s."},
	"published":             {[]string{"Date published", "Posted on"}, "Posted on %s."},
	"date":                  {[]string{"Day", "Event date"}, "Save the date: %s."},
	"start_time":            {[]string{"Starting time", "From"}, "It starts at %s."},
	"venue":                 {[]string{"Location", "Held at"}, "It is held at the %s."},
	"ticket_price":          {[]string{"Price of a ticket", "Entry"}, "Entry costs %s."},
	"organiser":             {[]string{"Host", "Organizer"}, "The organizer is the %s."},
	"status":                {[]string{"Current status"}, "Current status: %s."},
	"booking_url":           {[]string{"Reservations", "Book online"}, "Reserve under %s in time."},
	"opening_date":          {[]string{"Opened"}, "Since %s it has been open to all."},
	"cost_euros":            {[]string{"Total cost"}, "Taxpayers spent %s on it."},
	"length_m":              {[]string{"Total length"}, "From end to end it measures %s."},
	"contractor":            {[]string{"Built by"}, "The construction was carried out by %s."},
	"architect":             {[]string{"Plans by"}, "The plans came from architect %s."},
	"fee":                   {[]string{"Charge", "Costs"}, "There is a fee of %s."},
	"express_fee":           {[]string{"Express surcharge"}, "For express handling add %s."},
	"processing_days":       {[]string{"Takes", "Waiting time"}, "Expect to wait %s for it."},
	"online":                {[]string{"Apply online"}, "To apply online is %s."},
}

// fact is one, in the words of the set.
func (b *builder) fact(field string, value answersite.Value, label, shown, said, prop, ask string, clues ...string) answersite.Fact {
	f := fact(field, value, label, shown, said, prop, ask, clues...)
	other, known := words[field]
	if !b.reworded || !known {
		return f
	}
	b.worded++
	f.Label, f.Said = other.labels[b.worded/7%len(other.labels)], fmt.Sprintf(other.said, shown)
	f.Clues = nil // those are of the other words; the label stays
	return f
}

// layouts are how the set shows facts.
func (b *builder) layouts(own ...layout) []layout {
	if !b.reworded {
		return own
	}
	return []layout{cards, remarks, stacked, piped, grouped, properties, nested, emphasised, fields}
}

func each(s *answersite.Subject, format string) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, format+"\n", answersite.Esc(f.Label), cell(f))
	}
	return b.String()
}

func cards(s *answersite.Subject) string {
	return "<table class=\"cards\"><tr>" + each(s, "<td><b>%s</b><br>%s</td>") + "</tr></table>"
}

func remarks(s *answersite.Subject) string {
	return "<table><thead><tr><th>Item</th><th>Entry</th><th>Remark</th></tr></thead><tbody>" + each(s, "<tr><td>%s</td><td>%s</td><td>checked</td></tr>") + "</tbody></table>"
}

func stacked(s *answersite.Subject) string { return each(s, "<p>%s<br><strong>%s</strong></p>") }

func piped(s *answersite.Subject) string {
	var all []string
	for _, f := range s.Facts {
		all = append(all, answersite.Esc(f.Label)+": "+answersite.Esc(f.Shown))
	}
	return "<p>" + strings.Join(all, " | ") + "</p>"
}

func grouped(s *answersite.Subject) string {
	return "<dl class=\"grid\">" + each(s, "<div><dt>%s:</dt> <dd>%s</dd></div>") + "</dl>"
}

// properties says all in JSON-LD as named properties, and in prose.
func properties(s *answersite.Subject) string {
	var all []any
	for _, f := range s.Facts {
		all = append(all, map[string]any{"@type": "PropertyValue", "name": f.Label, "value": f.Shown})
	}
	object := map[string]any{"@context": "https://schema.org", "@type": s.Kind, "name": s.Name, "additionalProperty": all}
	return `<script type="application/ld+json">` + string(answersite.JSON(object)) + `</script>` + emphasised(s)
}

func nested(s *answersite.Subject) string {
	return "<ul>" + each(s, "<li>%s<ul><li>%s</li></ul></li>") + "</ul>"
}

// emphasised is prose with the values in bold.
func emphasised(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		said := cmp.Or(f.Said, f.Label+": "+f.Shown)
		fmt.Fprintf(&b, "<p>%s</p>\n", strings.Replace(answersite.Esc(said), answersite.Esc(f.Shown), "<b>"+answersite.Esc(f.Shown)+"</b>", 1))
	}
	return b.String()
}

func fields(s *answersite.Subject) string {
	return "<form>" + each(s, "<div class=\"field\"><label>%s</label><output>%s</output></div>") + "</form>"
}

var (
	rewordedNamed = []string{
		"Open {url} and tell me {asks}.", "I need {asks} from this page: {url}", "Using {url}, complete the record for {name}: {asks}.", "Which are {asks}? You will find them on {url}",
	}
	rewordedSearched = []string{
		"Look for {name} and give me {asks}.", "Search the web for {asks}. It is about {name}.", "{name} ({asks})", "Somebody asked me about {name}: what are {asks}?",
	}
	rewordedSingle = []string{"Do you know {asks} of {name}?", "Find out {asks} for {name}", "{name}: what is {asks}?"}
)
