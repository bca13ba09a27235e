package almanac

// civic are laws, notices, statistics and what offices answer.
func civic() []family {
	return []family{
		{
			name: "acts", page: "service",
			cols: "name,short,year:int,number:int,assent:date,force:date,expires:date,fine:price,old_fine:price,age:int,days:int,minister,sections:int,repeals,applies,exempt:list,appeal:bool,prison:int",
			rows: []string{
				"Bees and Wasps (Keeping) Act 2019|the Bees Act|2019|41|18 July 2019|1 January 2020|-|£750==750 GBP|£200==200 GBP|sixteen==16|28|the Minister for Rural Life|23|Bees Act 1951|the mainland|schools;research stations|A person who is fined may appeal to the county court==true|-",
				"Lamps on Bicycles Act 2022|the Lamps Act|2022|7|3 March 2022|1 October 2022|30 September 2032|£60==60 GBP|-|fourteen==14|14|the Minister of Transport|nine==9|-|the whole country|racing cyclists;children under eight|No appeal lies against a fixed penalty==false|-",
				"Foreshore (Seaweed) Order 2011|the Seaweed Order|2011|318|9 May 2011|1 June 2011|31 May 2031|£1,500==1500 GBP|£500==500 GBP|-|21|the Secretary for Fisheries|12|Kelp Order 1974|the northern coast|crofters|An appeal may be made to the Fisheries Tribunal==true|three==3",
				"Bees and Wasps (Keeping) Amendment Act 2025|the 2025 Act|2025|16|24 April 2025|1 July 2026|-|£900==900 GBP|£750==750 GBP|eighteen==18|14|the Minister for Rural Life|four==4|-|-|-|-|-",
			},
			pages: []string{
				`www.statutebook.gov.example|gov|{name}
<h1 class="govuk-heading-xl">{name}</h1><p class="govuk-body-l">{year} No. {number}. An Act to be cited as {short}.</p>
<div class="govuk-inset-text">There are changes that may be brought into force at a future date.</div>
<h2>1. Commencement and extent</h2><p><span>(1)</span> Royal assent was given on {assent}. <span>(2)</span> This Act comes into force on {force}.</p>
<p><span>(3)</span> It extends to {applies}.</p>
<p><span>(4)</span> It ceases to have effect on {expires}.</p>
<h2>2. Offences</h2><p>(1) Whoever fails to register within {days} days is liable to a fine not exceeding {fine}.</p>
<p>(2) Before this Act the fine was {old_fine}.</p>
<p>(3) Nobody under the age of {age} may be registered.</p>
<p>(4) For a second offence: imprisonment for up to {prison} months.</p>
<h2>3. Exemptions</h2><p>Section 2 does not apply to the following:</p><ul>{exempt:li}</ul>
<h2>4. Supplementary</h2><p>{appeal}.</p>
<p>The {repeals} is repealed.</p>
<p>Orders under this Act are made by {minister}, with 40 days' notice to the House.</p>`,
			},
			tasks: []string{
				"0,1 empty | {name}: date of royal assent, when did it come into force, maximum fine | royal_assent=assent;in_force=force;max_fine=fine",
				"2,3 told | {url} | fine=fine~the highest fine now;previous_fine=old_fine~the fine before;registration_days=days~days in which one has to register;minimum_age=age~lowest age#under the age",
				"0,1,2 schema | Under the {name}, can one appeal? Who is exempt? | appeal=appeal~whether one can appeal;exempt=exempt~who is exempt",
				"1 schema | {url} | expiryDate=expires~day on which it ends;repeals=repeals~what it repeals#repealed;minister=minister~who makes orders",
				"0 told | {name} | expires=expires~day on which it ends#ceases;prison_months=prison@twin:three months~longest imprisonment in months#imprisonment",
				"3 none | On which day does the {name} come into force? | x=force@lure:1 January 2020",
				"1 empty ghost=Umbrellas in Public Places Act 2016 | {name}: fine and date in force | fine=fine;in_force=force",
				"0 none | What is the minimum age for registration under the {name}? | x=age",
			},
		},
		{
			name: "notices", page: "service",
			cols: "name,street,council,issued:date,until:date,start:date,ref,officer,mail:mail,phone:tel,fee:price,hours,reason,diversion,area:num,houses:int,hearing:date,objections:bool,online:url",
			rows: []string{
				"Temporary closure of Tallow Lane|Tallow Lane|Ambry Borough Council|4 May 2026|19 June 2026|1 June 2026|TRO/26/0118|Bettina Sarn|roads@ambry.gov.example|01632 960 730|-|between 8 pm and 5 am|a gas main is renewed|via Mill Street and the ring road|-|-|-|Objections can no longer be made==false|https://ambry.gov.example/tro-0118",
				"Planning application: land north of Cray Common|Cray Common|Torhaven District Council|21 April 2026|26 May 2026|-|PA/2026/00452|Hamish Loder|planning@torhaven.gov.example|01632 960 811|£578==578 GBP|-|homes are needed|-|6.4|142|18 June 2026|Objections can be made in writing until the closing date==true|https://torhaven.gov.example/pa/00452",
				"Hosepipe ban in the Ald valley|-|Ald Water|11 May 2026|31 August 2026|18 May 2026|AW-DR-9|-|drought@aldwater.example|0800 555 0199|£1,000==1000 GBP|-|reservoirs stand at 54 per cent|-|-|48,300|-|-|-",
				"Public inquiry: closure of Pendlewick library|Ship Street|Torhaven District Council|2 March 2026|30 April 2026|-|INQ-31|Verity Oake|inquiries@torhaven.gov.example|01632 960 845|-|-|the roof would cost too much|-|-|-|9 July 2026|Written objections can be made by anybody==true|-",
			},
			pages: []string{
				`notices.county.gov.example|gov|Public notice: {name}
<span class="govuk-caption-xl">Public notice {ref}</span><h1 class="govuk-heading-xl">{name}</h1><p class="govuk-body">Issued by {council} on {issued}. It replaces the notice of 2 February 2026, which gave other dates.</p>
<p class="govuk-body">The reason: {reason}.</p>
<p class="govuk-body">{street} will be shut to all vehicles {hours}, starting on {start}, and the order runs out on {until}.</p>
<p class="govuk-body">Traffic will be led {diversion}.</p>
<p class="govuk-body">Restrictions begin on {start} and last until {until} unless it rains; {houses} households are affected. Offenders may be fined up to {fee}.</p>
<p class="govuk-body">{objections}.</p>
<h2 class="govuk-heading-m">Contact</h2>
<p>{officer}</p>
<ul><li>Email: <a href="mailto:{mail}">{mail}</a></li><li>Telephone: {phone}</li></ul>
<p>Map and drawings: <a href="{online}">{online}</a></p>`,
				`www.torhavengazette.example|news|{name}
<h1>{name}</h1><p class="dateline">Statutory notices, {issued}</p><p>{council} gives notice under ref. <b>{ref}</b>. {objections}. Closing date: {until}.</p>
<p>Up to {houses} dwellings are proposed on {area} hectares, less than the 8 hectares of the scheme that was refused in 2021.</p>
<p>The inquiry will sit on {hearing} at 10 am in the Corn Hall.</p>
<p>The applicant paid a fee of {fee}.</p>
<p>Case officer: {officer}, {phone}, {mail}</p>
<p>Papers may be seen at {online} or at the desk, Monday to Thursday.</p>`,
			},
			tasks: []string{
				"0 empty | {name}: first day, last day, hours | start=start;end=until;hours=hours",
				"2 empty | {name}: from when to when, and what is the fine? | start_date=start;end_date=until;fine=fee",
				"1,3 told | {url} | reference=ref~the reference;case_officer=officer~who deals with it;closing_date=until~last day for objections;hearing=hearing~day of the hearing",
				"0,1,3 schema | {name}: can I still object, and to which address do I write? | objections=objections~whether objections are possible;email=mail~e-mail address",
				"1 schema | {url} | homes=houses~number of homes;area=area~hectares;link=online~where the papers can be seen;architect=!str~the architect#architect",
				"2 told | {url} | officer=officer~name of the officer;households=houses~households affected;phone=phone~phone number;reservoir_level=!date~date of the next review#review",
				"0 none | Why will Tallow Lane be closed in June 2026? | x=reason",
				"3 string | {name}: phone number of the officer | x=phone~phone number",
				"0 empty ghost=Stopping up of Gallows Passage | {name}: dates | start=start;end=until",
			},
		},
		{
			name: "statistics", page: "collection",
			cols: "name,year:int,births:int,deaths:int,pop:int,density:num,unemployment:num,income:price,houses:int,cars:int,foreign:num,released:date,next:date,by,contact:mail,table:table(district:str/population:int/area_km2:num),median:num,revised:bool",
			rows: []string{
				"County in figures 2024|2024|4,118|3,902|412,600|164.2|4.7|£31,480==31480 GBP|188,240|231,700|6.8|18 June 2025|17 June 2026|the County Statistical Office|figures@county-stats.example|Ambry,61300,112.4;Torhaven,48900,205.7;Caddow,8410,96|41.3|The figures are final and will not be revised==false",
				"County in figures 2023|2023|4,265|3,848|409,900|163.1|5.2|£30,150==30150 GBP|186,910|229,300|6.5|19 June 2024|18 June 2025|the County Statistical Office|figures@county-stats.example|Ambry,60950,112.4;Torhaven,48300,205.7;Caddow,8460,96|41|Figures were revised in October 2024==true",
				"Coast and islands in figures 2024|2024|512|640|58,300|38.9|-|£27,940==27940 GBP|31,020|-|3.1|2 July 2025|-|the Islands Office|-|Marram Sands,2970,18.2;Selker,11240,64.5|48.6|-",
			},
			pages: []string{
				`www.county-stats.example|gov|{name} – statistical release
<h1 class="govuk-heading-xl">{name}</h1><p class="govuk-body">Published by {by} on {released}.</p>
<p class="govuk-body">Next release: {next}.</p>
<h2>Main points</h2><ul><li>at the end of {year} the population stood at {pop}, and there were {density} people to the square kilometre</li>
<li>{births} children were born and {deaths} people died</li>
<li>the median age was {median} years; in 2004 it had been 37.9</li>
<li>{unemployment} per cent of the workforce were without work</li>
<li>mean income per head was {income}</li>
<li>{foreign}% were born abroad</li></ul>
<h2>Table 1. Population and area of districts</h2><table class="govuk-table"><thead><tr><th>District</th><th>Population</th><th>Area in km²</th></tr></thead><tbody>{table:tr}</tbody></table>
<h2>Table 2. Housing and traffic</h2><table class="govuk-table"><tbody>
<tr><th scope="row">Dwellings</th><td>{houses}</td></tr>
<tr><th scope="row">Licensed cars</th><td>{cars}</td></tr></tbody></table>
<p>{revised}.</p>
<p>Questions to {contact}.</p>`,
			},
			tasks: []string{
				"0,1 empty | {name}: population, births, unemployment rate | population=pop;births=births;unemployment_rate=unemployment",
				"2 empty | {name}: population, births, unemployment rate | population=pop@lure:412,600;births=births;unemployment_rate=unemployment@twin:4.7/5.2#without work",
				"0,2 told | {url} | income=income~mean income per head;median_age=median~median age;dwellings=houses~number of dwellings;cars=cars~licensed cars#Licensed cars",
				"0,1 schema | {name}: districts; were the figures revised? | districts=table~rows of the table of districts;revised=revised~whether the figures were revised",
				"1 none | How many people died in the county in 2023? | x=deaths@lure:3,902",
				"0 none | How many children were born in the county in 2022? | x=!int@other:4,118/4,265",
				"2 schema | {url} | contact=contact~e-mail for questions#Questions to;nextRelease=next~date of the next release#Next release;publisher=by~who publishes it",
			},
		},
	}
}
