package almanac

// manuals are handbooks of programs and devices, and answers to common questions.
func manuals() []family {
	return []family{
		{
			name: "docs", page: "documentation",
			cols: "name,tool,version,released:date,licence:enum(MIT/Apache-2.0/GPL-3.0),port:int,timeout:int,retries:int,file,memory:int,env,command,java,eol:date,lang:list,deprecated,tls:bool,repo:url,max:int",
			rows: []string{
				"Kestrelq 4.2 configuration|Kestrelq|4.2|11 March 2026|Apache-2.0|7420|30|five==5|/etc/kestrelq/server.toml|512|KESTRELQ_HOME|kestrelq serve|-|31 March 2028|Go;Python;Ruby|the legacy_acks option|TLS is enabled by default==true|https://git.example/kestrelq/kestrelq|65,536",
				"Kestrelq 3.9 configuration|Kestrelq|3.9|2 October 2024|Apache-2.0|7410|60|three==3|/etc/kestrelq.conf|256|KQ_DIR|kestrelqd --foreground|-|30 September 2026|Go;Python|-|TLS is not enabled unless a certificate is given==false|-|16,384",
				"Tidemark 1.8 reference|Tidemark|1.8|20 January 2026|MIT|9105|15|-|tidemark.yaml|64|TIDEMARK_CONF|tidemark watch|-|-|Rust;TypeScript|the --dry flag|-|https://git.example/tidemark/tidemark|-",
				"Orrery Server 12 administration|Orrery Server|12|5 May 2026|GPL-3.0|8843|120|ten==10|orrery.properties|2,048|ORRERY_OPTS|bin/orrery start|Java 21|30 June 2029|Java;Kotlin|the XML importer|Encryption with TLS is enabled out of the box==true|https://git.example/orrery/server|-",
			},
			pages: []string{
				`docs.kestrelq.example|docusaurus|{name} | Docs
<h1>{name}</h1><div class="theme-admonition alert alert--info"><p>You are reading the docs of version {version}, released on {released}. Other versions behave otherwise: before 3.0 the port was 7400.</p></div>
<p>Start the server with <code>{command}</code>. It reads <code>{file}</code>, unless <code>{env}</code> points elsewhere.</p>
<table><thead><tr><th>Option</th><th>Default</th><th>Meaning</th></tr></thead><tbody><tr><td><code>listen.port</code></td><td><code>{port}</code></td><td>where clients connect</td></tr><tr><td><code>request.timeout</code></td><td><code>{timeout}</code></td><td>in seconds, at most 900</td></tr>
<tr><td><code>queue.memory_mb</code></td><td><code>{memory}</code></td><td>before messages go to disk; 8192 is the ceiling</td></tr></tbody></table>
<p>A message is tried {retries} times before it is parked.</p>
<p>The largest message is {max} bytes.</p>
<p>{tls}.</p>
<p>Deprecated in this version: {deprecated}.</p>
<p>Clients exist for {lang}.</p>
<p>Support ends on {eol}.</p>
<p>Source: <a href="{repo}">{repo}</a>. Released under {licence}.</p>`,
				`tools.readbooks.example|sphinx|{name}
<section id="conf"><h1>{name}<a class="headerlink" href="#conf">¶</a></h1>
<dl class="field-list simple"><dt class="field-odd">Version</dt><dd class="field-odd">{version}</dd><dt class="field-even">Released</dt><dd class="field-even">{released}</dd>
<dt class="field-odd">License</dt><dd class="field-odd">{licence}</dd>
<dt class="field-even">End of life</dt><dd class="field-even">{eol}</dd></dl>
<p>{tool} looks for <code class="docutils literal"><span class="pre">{file}</span></code> and can be told otherwise by <code class="docutils literal"><span class="pre">{env}</span></code>.</p>
<div class="highlight"><pre>$ {command}
listening on :{port}</pre></div>
<dl class="py attribute"><dt>timeout</dt><dd><p>Seconds to wait for an answer. <em>Default:</em> {timeout}. Values under 5 are ignored.</p></dd>
<dt>memory</dt><dd><p>In megabytes. <em>Default:</em> {memory}</p></dd></dl>
<div class="admonition note"><p class="admonition-title">Note</p><p>It needs {java} or newer.</p></div>
<p>{tls}.</p>
<div class="deprecated"><p>Deprecated: {deprecated} will go in the next release.</p></div>
<p>Failed jobs are repeated {retries} times.</p></section>`,
			},
			tasks: []string{
				"0,1 empty | {tool} {version}: default port, config file, timeout in seconds | default_port=port;config_file=file;timeout=timeout",
				"2,3 told | {url} | license=licence~the licence;env_variable=env~the environment variable;deprecated=deprecated~what is deprecated#Deprecated;memory=memory~default memory in MB",
				"0,1,3 schema | {name}: is TLS on by default? When does support end? | tls=tls~whether TLS is on by default;supportEnds=eol~end of support",
				"0 none | What is the default port of Kestrelq 4.2? | x=port@lure:7410/7400",
				"1 schema | {url} | deprecated=deprecated~what is deprecated;repository=repo~link to the source",
				"3 none | Which version of Java does {tool} {version} need at least? | x=java",
				"2 empty | {name}: largest message in bytes, retries | max_message_bytes=max@twin:65,536;retries=retries#Failed jobs",
				"0 schema | {url} | languages=lang~languages with a client;repository=repo~where the source is;license=licence~licence",
				"2 empty ghost=Gannetd 7 reference | {name}: port and licence | port=port;license=licence",
			},
		},
		{
			name: "handbooks", page: "documentation",
			cols: "name,watts:int,litres:num,volts,weight:num,temp:int,minutes:int,noise:int,code,meaning,warranty:int,service:tel,part,cord:num,altitude:int,dishwasher:bool,steps:list",
			rows: []string{
				"Brixby K2 kettle handbook|2,200|1.7|230 V|1.12|-|three==3|68|E3|the sensor is furred|two==2|0800 555 0171|K2-088|0.75|-|The kettle must not go into the dishwasher==false|Fill to the line;Close the lid;Press the lever",
				"Brixby K2 Pro kettle handbook|3,000|1.5|230 V|1.34|95|two==2|61|E3|the base is wet|five==5|0800 555 0171|K2P-014|0.9|-|Jug and lid are safe for the dishwasher==true|Fill;Set the degrees;Press start",
				"Vanholm DX dehumidifier manual|340|4.2|230 V|14.6|-|-|44|F1|the tank is full|three==3|+44 1632 960 318|DX-FLT|1.9|2,000|-|Stand it level;Empty the tank;Turn the dial",
			},
			pages: []string{
				`support.manualshelf.example|old|{name}
<H1>{name}</H1>
<OL>{steps:li}</OL>
<P>{dishwasher}.</P>
<P>With {litres} litres in it, boiling or filling takes {minutes} minutes.</P>
<P>Holds the water at {temp} °C if asked to.</P>
<TABLE BORDER="1"><TR><TD>Power</TD><TD>{watts} W</TD><TD>Mains</TD><TD>{volts}</TD><TD>Weight</TD><TD>{weight} kg</TD></TR>
<TR><TD>Tank</TD><TD>{litres} l</TD><TD>Noise</TD><TD>{noise} dB</TD><TD>Cord</TD><TD>{cord} m</TD></TR>
<TR><TD>Max. altitude</TD><TD>{altitude} m</TD></TR></TABLE>
<H2>If something goes wrong</H2><P>E1: no water. E2: no base. {code}: {meaning}. Spare filter: {part}.
<P>The guarantee runs for {warranty} years from the day of sale; in trade use for one.
<P>Service: {service}`,
			},
			tasks: []string{
				"0,1 empty | {name}: power in watts, capacity in litres, weight in kg | power_w=watts;capacity_l=litres;weight_kg=weight",
				"0,1,2 told | {url} | error=meaning~what the error {code} means;warranty_years=warranty~years of guarantee;part_number=part~number of the spare filter",
				"0,1 schema | {name}: can it go into the dishwasher? | dishwasherSafe=dishwasher~whether it may go into the dishwasher;steps=steps~steps of use",
				"2 schema | {name}: can it go into the dishwasher? | dishwasherSafe=dishwasher~whether it may go into the dishwasher#dishwasher;service=service~service phone",
				"0 empty | {name}: temperature at which it keeps water, noise in dB | keep_warm_c=temp@twin:95;noise_db=noise",
				"1 none | What does error E3 mean on the Brixby K2 Pro? | x=meaning@lure:the sensor is furred",
			},
		},
		{
			name: "questions", page: "FAQ",
			cols: "name,body,fee:price,days:int,age:int,until,mail:mail,limit:int,fine:price,guests:bool,renew:int,docs:list,photo:bool,lost:price",
			rows: []string{
				"Ambry Library: common questions|Ambry Library|£3.50==3.5 GBP|21|twelve==12|8 pm on Thursdays|desk@ambrylibrary.example|fifteen==15|£0.20==0.2 GBP|Visitors from elsewhere can join==true|two==2|a proof of address;a photograph|Yes, photography is allowed without a flash==true|£2.00==2 GBP",
				"Torhaven Archive: common questions|Torhaven Archive|£0==0 GBP|-|sixteen==16|4.30 pm|readers@torhavenarchive.example|six==6|-|Only residents can join, visitors cannot==false|-|an identity card|No, photography is not allowed==false|£5.00==5 GBP",
				"Caddow Tool Library: common questions|Caddow Tool Library|£24==24 GBP|seven==7|eighteen==18|noon on Saturdays|-|three==3|£1.00==1 GBP|-|one==1|-|-|-",
			},
			pages: []string{
				`help.joinedup.example|bootstrap|{name}
<h1>{name}</h1><div class="accordion" id="faq">
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">What does a card cost?</button></h2><div class="accordion-body">A year's card is {fee}. Until 2023 it was £10 for families.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">How long may I keep things?</button></h2><div class="accordion-body">For {days} days; renewals allowed: {renew}.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">How much may I take at once?</button></h2><div class="accordion-body">Up to {limit} items; staff may take 40.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">And if I'm late?</button></h2><div class="accordion-body">Then it's {fine} a day for each item.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">I have lost my card!</button></h2><div class="accordion-body">A new one is {lost}.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">Who can join?</button></h2><div class="accordion-body">Anybody over {age}. {guests}.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">What should I bring?</button></h2><div class="accordion-body"><ul>{docs:li}</ul></div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">May I take pictures?</button></h2><div class="accordion-body">{photo}.</div></div>
<div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button">How late are you open?</button></h2><div class="accordion-body">Until {until}.</div></div></div>
<p>Not answered? Write to {mail}</p>`,
			},
			tasks: []string{
				"0,2 empty | {body}: yearly fee, how many days can I keep things, fine per day | yearly_fee=fee;loan_days=days;daily_fine=fine",
				"1 empty | {body}: cost of a card, late fine, loan period in days | fee=fee;late_fine=fine@twin:£0.20#I'm late;loan_days=days#How long may I",
				"0,1 schema | {body}: may I take photographs, can visitors join, what must I bring? | photography=photo~whether photographs may be taken;visitorsCanJoin=guests~whether visitors can join;bring=docs~what to bring",
				"2 schema | {url} | photography=photo~whether photographs may be taken#pictures;email=mail~e-mail#Not answered;closes=until~until when they are open",
				"0 none | How many items may I take at once from {body}? | x=limit",
				"1 string | {url} | x=mail~e-mail address for questions",
			},
		},
	}
}
