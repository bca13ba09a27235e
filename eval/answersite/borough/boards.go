package borough

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// thread is a discussion: the first post asks, the accepted one is right.
func thread(s *answersite.Set, path, title string, accepted int, posts ...string) string {
	var b strings.Builder
	for i, post := range posts {
		user, text, _ := strings.Cut(post, ": ")
		class, mark := "topic-post", ""
		if i == accepted {
			class, mark = "topic-post accepted-answer", `<span class="accepted-text">✓ Solution</span>`
		}
		fmt.Fprintf(&b, `<article class="%s" id="post_%d"><div class="names"><a class="username" href="/u/%s">%s</a></div>%s<div class="cooked"><p>%s</p></div><span class="post-date">%d May 2026</span></article>`,
			class, i+1, user, user, mark, esc(text), i+3)
	}
	return s.Add("talk.tidemark.example", path, "forum", frame("talk.tidemark.example", title, `<h1><a class="fancy-title" href="#">`+
		esc(title)+`</a></h1><div class="post-stream">`+b.String()+`</div>`)).URL
}

func boards(s *answersite.Set) {
	oil := thread(s, "/t/k2-kettle-scale/11", "How often do I descale a Brindle K2?", 2, "pim: How often should I descale the Brindle K2 kettle? The water here is hard.", "grub: Never did it, never will.",
		"brindle_support: Every 6 weeks with hard water, with 20 ml of citric acid.", "hanna: I do it every 12 weeks.")
	port := thread(s, "/t/tidemark-port/12", "Tidemark: which port for replicas?", 1, "sel: Which port do replicas of Tidemark use?",
		"maintainer_jo: Replicas use port 7411, one above the daemon's.", "sel: Thanks, that works.")
	thread(s, "/t/raft/13", "Raft race: what to wear?", 1, "ulf: What does one wear?", "mo: Something that you do not mind losing.")
	thread(s, "/t/hello/14", "Introduce yourself", -1, "ada: Hello from Saltings.", "bo: Hello Ada.")
	tyre := thread(s, "/t/tyre-pressure/15", "Tyre pressure for the Corsair Estate", 2, "nell: What tyre pressure for a 2019 Corsair Estate?", "oz: 28 psi or so?",
		"garage_dun: 34 psi at the front, 32 psi at the rear.")
	bell := thread(s, "/t/bells/16", "How many bells has St Osyth's?", 1, "cam: How many bells does St Osyth's have?",
		"ringer: St Osyth's has ten bells; the tenor weighs 812 kg.")
	s.Pose("forum/0", answersite.Searched, answersite.FormNone, "How often should one descale the Brindle K2 kettle with hard water?", field("x",
		"", said(answersite.Str("Every 6 weeks", "6 weeks", "Every 6 weeks with hard water"), "6 weeks", oil)))
	s.Pose("forum/1", answersite.Searched, answersite.FormEmpty, "port for replicas in Tidemark", field("port", "", said(answersite.Int(7411), "7411", port)))
	s.Pose("forum/2", answersite.Named, answersite.FormString, "Front tyre pressure? "+tyre, field("x",
		"tyre pressure at the front in psi", said(answersite.Int(34).Or("34 psi"), "34 psi", tyre)))
	s.Pose("forum/3", answersite.Searched, answersite.FormDescribed, "St Osyth's bells", field("tenor_weight",
		"weight of the tenor in kg", said(answersite.Int(812).Or("812 kg"), "812 kg", bell)))
	faqs(s)
}

func faqs(s *answersite.Set) {
	details := s.Add("www.osterferries.example", "/faq", "FAQ", frame("www.osterferries.example", "Questions and answers",
		`<h1>FAQ</h1><details><summary>How much luggage may I bring?</summary><p>Each passenger may bring 23 kg.</p></details>`+
			`<details><summary>Are dogs allowed on board?</summary><p>Yes, on a lead, on the open deck.</p></details><details><summary>How do I change a booking?</summary><p>Write to changes@osterferries.example up to 24 hours before sailing. The fee for a change is £6.</p></details>`)).URL
	headed := s.Add("www.marlbuses.example", "/help", "FAQ", frame("www.marlbuses.example", "Help",
		`<h1>Help</h1><h3>What does a day ticket cost?</h3><p>A day ticket costs £5.60 and is sold by the driver.</p><h3>Where is lost property kept?</h3><p>At the bus station in Stoke Marling, for 30 days.</p>`+
			`<h3>Can I pay by card?</h3><p>Yes, on all our buses.</p>`)).URL
	linked := s.Add("shop.hollin.example", "/pages/faq", "FAQ", frame("shop.hollin.example", "FAQ",
		`<script type="application/ld+json">{"@context":"https://schema.org","@type":"FAQPage","mainEntity":[{"@type":"Question","name":"How long do I have to return an item?","acceptedAnswer":{"@type":"Answer","text":"You have 45 days to return an item."}},`+
			`{"@type":"Question","name":"What is the delivery charge?","acceptedAnswer":{"@type":"Answer","text":"Delivery is £3.95, and free from £50."}}]}</script><h1>FAQ</h1><div class="accordion"><button>How long do I have to return an item?</button><div class="panel">You have 45 days to return an item.</div>`+
			`<button>What is the delivery charge?</button><div class="panel">Delivery is £3.95, and free from £50.</div></div>`)).URL
	s.Pose("faq/0", answersite.Searched, answersite.FormEmpty, "Oster Ferries luggage allowance in kg", field("luggage_kg",
		"", said(answersite.Int(23).Or("23 kg"), "23 kg", details)))
	s.Pose("faq/1", answersite.Named, answersite.FormSchema, "Policies on "+details, field("dogsAllowed",
		"whether dogs are allowed on board", said(answersite.Is(true), "Yes", details)),
		field("changeFee", "fee for changing a booking", said(answersite.Money(6, "GBP"), "£6", details)), field("changesEmail",
			"e-mail for changes", said(answersite.Mail("changes@osterferries.example"), "changes@osterferries.example", details)))
	s.Pose("faq/2", answersite.Searched, answersite.FormNone, "What does a day ticket cost on Marl Buses?", field("x",
		"", said(answersite.Money(5.6, "GBP"), "£5.60", headed)))
	s.Pose("faq/3", answersite.Named, answersite.FormDescribed, headed, field("card", "can one pay by card", said(answersite.Is(true), "Yes", headed)),
		field("lost_property_days", "days that lost property is kept", said(answersite.Int(30).Or("30 days"), "30 days", headed)))
	s.Pose("faq/4", answersite.Named, answersite.FormEmpty, "Returns and delivery: "+linked, field("return_days",
		"", said(answersite.Int(45).Or("45 days"), "45 days", linked)), field("delivery_charge", "", said(answersite.Money(3.95, "GBP"), "£3.95", linked)))
}
