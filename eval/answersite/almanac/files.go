package almanac

// files are documents, feeds and records for programs.
func files() []family {
	return []family{
		{
			name: "leaflets", page: "PDF",
			cols: "name,body,year:int,income:price,spent:price,members:int,chair,treasurer,meeting:date,place,auditor,grant:price,mail:mail,reserve:price,staff:int",
			rows: []string{
				"Ambry Naturalists: annual report 2025|Ambry Naturalists|2025|£48,310==48310 GBP|£45,120==45120 GBP|612|Ione Tasker|Percy Vole|21 May 2026|the Corn Hall|Hale & Croft|£6,000==6000 GBP|office@ambrynats.example|£12,900==12900 GBP|two==2",
				"Ambry Naturalists: annual report 2024|Ambry Naturalists|2024|£44,870==44870 GBP|£46,015==46015 GBP|587|Ione Tasker|Maud Ferris|22 May 2025|Ambry Zoo|Hale & Croft|-|office@ambrynats.example|£9,710==9710 GBP|-",
				"Sill Harbour Trust: accounts 2025|Sill Harbour Trust|2025|£1,204,600==1204600 GBP|£1,151,300==1151300 GBP|-|Verity Oake|-|9 June 2026|the Customs House|Orrin LLP|£85,000==85000 GBP|-|£402,000==402000 GBP|nineteen==19",
			},
			pages: []string{
				`files.opencounty.example|pdf|{name}
# {name}
In {year} {body} took in {income} and spent {spent}.
At the end of the year there were {members} members, and the year before 30 fewer.
Chair: {chair}
Treasurer: {treasurer}
The next annual meeting is on {meeting} at {place}.
Audited by {auditor}.
A grant of {grant} came from the county.
The reserve stands at {reserve}.
Staff employed: {staff}
Letters to {mail}`,
			},
			tasks: []string{
				"0,2 empty | {name}: income, expenditure, chair | income=income;expenditure=spent;chair=chair",
				"1 told | {url} | members=members~number of members;treasurer=treasurer~the treasurer;meeting=meeting~date of the next annual meeting;grant=grant~the grant#grant",
				"2 schema | {url} | auditor=auditor~who audited;email=mail~e-mail#Letters;members=members~members#members;reserve=reserve~reserve",
				"0 none | Who was treasurer of the {body} in {year}? | x=treasurer@lure:Maud Ferris",
				"1 empty | {name}: grant received and staff employed | grant=grant@other:£6,000;staff=staff#employed",
			},
		},
		{
			name: "feeds", page: "feed",
			cols: "name,site,title1,date1:date,by1,title2,date2:date,by2,quake:num,depth:num,editor:mail",
			rows: []string{
				"County Observatory bulletins|observatory.opencounty.example|Earthquake of magnitude 3.1 under Caddow Fell|Sat, 09 May 2026 06:12:00 +0000==2026-05-09|F. Oyelaran|Comet Quarmby seen from Ambry|Mon, 27 Apr 2026 22:40:00 +0000==2026-04-27|H. Sorley|3.1|7.4|bulletins@observatory.example",
				"Harbour Post: notices to mariners|mariners.opencounty.example|Light on Hen Rocks extinguished|Tue, 12 May 2026 15:00:00 +0000==2026-05-12|Harbour master|Wreck marked off Selker Point|Thu, 16 Apr 2026 08:30:00 +0000==2026-04-16|-|-|11.5|-",
			},
			pages: []string{
				`feeds.opencounty.example|xml|{name}
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>{name}</title><link>https://{site}/</link><description>Latest entries</description>
<managingEditor>{editor}</managingEditor>
<item><title>{title1}</title><link>https://{site}/1</link><pubDate>{date1}</pubDate><dc:creator>{by1}</dc:creator><description>Depth {depth}; no damage is known. A like event in 1987 was felt in Torhaven.</description></item>
<item><title>{title2}</title><link>https://{site}/2</link><pubDate>{date2}</pubDate>
<dc:creator>{by2}</dc:creator>
<description>To be seen low in the west with the naked eye, weather allowing.</description></item>
</channel></rss>`,
			},
			tasks: []string{
				"0,1 empty | {url} - latest entry | title=title1;published=date1",
				"0 told | {url}: {title2} | author=by2~who wrote the entry;published=date2~when it was published;category=!str~the category#category",
				"1 schema | {url} | editor=editor~e-mail of the editor#managingEditor",
				"0 none | When was the bulletin \"{title2}\" published? | x=date2",
			},
		},
		{
			name: "records", page: "JSON",
			cols: "name,id,lat:num,lon:num,height:int,date:date,ship:str,depth:num,temp:num,salt:num,count:int,open:bool,licence:enum(CC0/CC BY/Restricted),mail:mail,species:list,page:url",
			rows: []string{
				"Buoy Hen Rocks 7|B-0007|54.8127|-2.9401|2|2026-05-13|RV Constance|41.5|9.8|33.6|288|true|CC0|buoys@seadata.example|herring;sprat;moon jelly|https://seadata.example/b/7",
				"Buoy Hen Rocks 8|B-0008|54.8304|-2.9522|-|2026-05-12|-|57|9.1|34.2|144|false|Restricted|buoys@seadata.example|herring;dogfish|https://seadata.example/b/8",
			},
			pages: []string{
				`api.seadata.example|json|{name}
{"station": {"name": "{name}", "id": "{id}", "position": {"latitude": {lat:raw}, "longitude": {lon:raw}}},
"last_service": "{date:raw}",
"serviced_by": "{ship}",
"mast_height_m": {height:raw},
"water": {"depth_m": {depth:raw}, "temperature_c": {temp:raw}, "salinity_psu": {salt:raw}},
"readings_per_day": {count:raw}, "open_data": {open:raw}, "license": "{licence}",
"species_seen": [{species:json}], "contact": "{mail}", "url": "{page:raw}"}`,
			},
			tasks: []string{
				"0,1 empty | {url} | depth_m=depth;temperature_c=temp;last_service=date",
				"1 schema | {name} | open_data=open~whether the data are open;license=licence~licence;species=species~species seen;mast_height=height~height of the mast#mast",
				"0 none | What is the salinity at {name}? | x=salt@lure:34.2",
				"1 told | {url} | serviced_by=ship@twin:RV Constance~ship that serviced it;contact=mail~e-mail",
			},
		},
	}
}
