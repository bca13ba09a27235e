package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// dogs are those that a shelter gives away, on a page put together in a website builder.
func dogs() *cs.Page {
	type dog struct{ name, breed, age, state, text string }
	return &cs.Page{Path: "/adopt-a-dog", Type: "listing", Render: func(n *cs.Run) string {
		pepper := []dog{{"Pepper", "Lurcher", "5 years", "Looking for a home", "A sofa dog with a fast half hour in the morning. No rabbits."}}
		all := []dog{
			{"Biscuit", "Terrier cross", "3 years", cs.Since(n, "Looking for a home", cs.At(7, "Reserved"), cs.At(14, "Looking for a home")), "Loves balls, hates the post. Would suit a home without cats."},
			{"Old Tom", "Labrador", "11 years", "Looking for a home", cs.Since(n, "Needs a ground floor, a soft bed and pills twice a day.", cs.At(34, "Needs a ground floor, a soft bed and pills twice a day. We pay his vet for life."))},
			{"Marzipan", "Whippet", "2 years", "Looking for a home", "Shy at first. She should live with another quiet dog."},
			{"Gus", "Shepherd cross", "6 years", "Foster home wanted", "Strong, clever and loyal to one. For people who have had such dogs."},
		}
		all = append(all, cs.Since(n, pepper, cs.At(25, []dog{}))...)
		return fill(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="X-Wix-Meta-Site-Id" content="{site}"><title>Adopt a dog | Thistledown Rescue</title><style id="css_{comp}">#comp-{comp} {--bg:255,250,240;display:grid}</style><script>window.viewerModel={"requestId":"{request}","rollout":{"percent":{percent}}}</script></head>
<body class="responsive"><div id="SITE_CONTAINER"><div id="main_MF" class="main_MF"><div id="SCROLL_TO_TOP" class="vqm{mod} ignore-focus" tabindex="-1" role="region"></div>
<div id="site-root" class="site-root"><div id="masterPage" class="mesh-layout masterPage"><header id="SITE_HEADER" class="xU8fqS SITE_HEADER wixui-header" tabindex="-1"><div class="_C0cVf"><h1 class="font_0 wixui-rich-text__text"><span class="color_15">Thistledown Rescue</span></h1><nav id="comp-{comp}0" aria-label="Site" class="d3WCoU"><ul class="Zvp5Ag"><li id="comp-{comp}1"><a class="uDW_Qe" href="/">Home</a></li><li id="comp-{comp}2"><a class="uDW_Qe" href="/adopt-a-dog">Dogs</a></li><li id="comp-{comp}3"><a class="uDW_Qe" href="/adopt-a-cat">Cats</a></li><li id="comp-{comp}4"><a class="uDW_Qe" href="/help-us">Help us</a></li><li id="comp-{comp}5"><a class="uDW_Qe" href="/kennels">The kennels</a></li></ul></nav></div></header>
<main id="PAGES_CONTAINER" class="PAGES_CONTAINER" tabindex="-1" data-main-content="true"><div id="SITE_PAGES"><section id="comp-{hero}" class="Oqnisf wixui-section"><div data-testid="richTextElement" class="Vd6aQZ wixui-rich-text"><h2 class="font_2 wixui-rich-text__text">Dogs who wait for you</h2><p class="font_8 wixui-rich-text__text">All our dogs are chipped, vaccinated and, if old enough, neutered. The fee for a dog is {fee}, which pays a part of what we spend on each. We visit your home before, and you can ring us for ever after.</p></div></section>
<section id="comp-{list}" class="Oqnisf wixui-section"><div role="list" class="fluid-columns-repeater wixui-repeater">{dogs}</div></section>
<section id="comp-{how}" class="Oqnisf wixui-section"><div class="Vd6aQZ wixui-rich-text"><h2 class="font_2">How it goes</h2><ol class="font_8"><li>Fill in the form, or ring between ten and four.</li><li>Come and walk the dog, twice if you can.</li><li>We come for tea and look at your fence.</li><li>Sign, pay, and take home a blanket that smells of here.</li></ol><p class="font_8">We do not hold dogs by phone, and we do not give them as presents.</p></div></section>
<section id="comp-{strip}" class="Oqnisf wixui-section"><div class="insta-feed"><h2 class="font_4">From our albums</h2>{album}</div><div class="wixui-counter"><p class="font_8">{followers} followers, {likes} likes</p></div></section></div></main>
<footer id="SITE_FOOTER" class="SITE_FOOTER wixui-footer"><p class="font_9">Thistledown Rescue, Old Smithy Lane. You are visitor no. {visitor}. It is now {clock}.</p></footer></div></div>
<div id="pinnedBottomRight" class="chat"><iframe title="Chat" src="https://chat.example/widget?instance={request}"></iframe><p>{chat}</p></div></div></div>
<section data-hook="consent-banner-root" class="consent-{mod}"><p>By using this site you agree that it keeps a few cookies.</p><button data-hook="consent-banner-apply-button">Accept</button></section></body></html>`,
			"site", n.Hex(32), "comp", "m"+n.Hex(7), "hero", "m"+n.Hex(7), "list", "m"+n.Hex(7), "how", "m"+n.Hex(7), "strip", "m"+n.Hex(7), "request", n.Hex(32), "percent", num(n, 1, 100), "mod", n.Hex(5),
			"fee", cs.Since(n, "£210", cs.At(15, "£240")),
			"dogs", cs.Each(cs.Shuffled(n, all...), func(d dog) string {
				return `<div role="listitem" id="comp-` + n.Hex(8) + `" class="wixui-repeater__item"><img src="https://static.builder.example/media/` + n.Hex(10) + `~mv2.jpg" alt=""><h3 class="font_3">` + d.name + `</h3><p class="font_8">` + d.breed + `, ` + d.age +
					`</p><p class="font_8 state">` + d.state + `</p><p class="font_8">` + d.text + `</p><span class="hearts">` + num(n, 10, 300) + " hearts</span></div>\n"
			}),
			"album", cs.Each(cs.Some(n, 3, "Mud, again", "Wednesday walkers", "Bath day", "New towels, thank you", "Snow in the yard", "Nap time"), func(s string) string {
				return `<figure><img src="/album/` + n.Hex(6) + `.jpg" alt=""><figcaption>` + s + `</figcaption></figure>`
			}),
			"followers", num(n, 8000, 8999), "likes", num(n, 100, 900), "visitor", num(n, 100000, 999999), "clock", today(n, "Mon Jan 2 15:04:05 2006"), "chat", cs.Pick(n, "Hi! Can we help?", "Woof! Ask us anything.", "Chat with a volunteer"))
	}}
}
