package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// grants is a call for grants to study, in Spanish, on a portal of modules. It says nothing new for a month.
func grants() *cs.Page {
	return &cs.Page{Path: "/index.php/becas/musica-2026", Type: "article", Render: func(n *cs.Run) string {
		return fill(`<!DOCTYPE html><html lang="es-es" dir="ltr"><head><meta charset="utf-8"><base href="https://fundacion.example/index.php/becas/musica-2026"><meta name="generator" content="Joomla! - Open Source Content Management"><title>Becas de música 2026 - Fundación Arroyo Claro</title><link href="/media/templates/site/cassiopeia/css/template.min.css?{asset}" rel="stylesheet"><script type="application/json" class="joomla-script-options new">{"csrf.token":"{csrf}","system.paths":{"root":""}}</script></head>
<body class="site com_content wrapper-static view-article no-layout itemid-118 has-sidebar-right"><header class="header container-header full-width"><div class="grid-child"><div class="navbar-brand"><a class="brand-logo" href="/">Fundación Arroyo Claro</a><div class="site-description">Música, campo y memoria</div></div></div>
<div class="grid-child container-nav"><ul class="mod-menu mod-list nav"><li class="nav-item item-101 default"><a href="/index.php">Inicio</a></li><li class="nav-item item-110"><a href="/index.php/fundacion">La fundación</a></li><li class="nav-item item-118 current active"><a href="/index.php/becas">Becas</a></li><li class="nav-item item-121"><a href="/index.php/conciertos">Conciertos</a></li><li class="nav-item item-130"><a href="/index.php/contacto">Contacto</a></li></ul></div></header>
<div class="site-grid"><div class="grid-child container-banner full-width"><div class="mod-custom custom banner-{banner}"><p>{slogan}</p></div></div>
<div class="grid-child container-component"><nav class="mod-breadcrumbs__wrapper" aria-label="Breadcrumbs"><ol class="mod-breadcrumbs breadcrumb"><li>Está aquí: </li><li class="breadcrumb-item"><a href="/index.php">Inicio</a></li><li class="breadcrumb-item active">Becas de música 2026</li></ol></nav>
<div id="system-message-container" aria-live="polite"></div><main><div class="com-content-article item-page" itemscope itemtype="https://schema.org/Article"><div class="page-header"><h1 itemprop="headline">Becas de música 2026</h1></div>
<dl class="article-info text-muted"><dt class="article-info-term">Detalles</dt><dd class="createdby">Escrito por: <span itemprop="name">Secretaría</span></dd><dd class="hits"><span class="icon-eye icon-fw"></span><meta itemprop="interactionCount" content="UserPageVisits:{hits}">Visto: {hits}</dd></dl>
<div class="content_rating" role="img"><p class="visually-hidden">Ratio: {stars} / 5 de {votes} votos</p></div>
<div itemprop="articleBody" class="com-content-article__body"><p>La Fundación Arroyo Claro convoca {number} becas para jóvenes de entre 16 y 24 años que estudien un instrumento de cuerda o de viento en un conservatorio de la comarca.</p>
<h2>Cuantía</h2><p>Cada beca es de 1.800 euros por curso y se paga en dos plazos, en octubre y en febrero. Quien viva a más de cincuenta kilómetros del conservatorio recibe además una ayuda de transporte de 300 euros.</p>
<h2>Requisitos</h2><ul><li>Tener la matrícula del curso 2026-2027 o haberla pedido.</li><li>No recibir otra beca para los mismos estudios.</li><li>Una carta de una maestra o un maestro, de una página como mucho.</li><li>Una grabación de diez minutos, sin cortes.</li></ul>
<h2>Plazo</h2><p>Las solicitudes se presentan por correo o en la sede, calle del Molino 7, hasta el {deadline}. El jurado publica la lista de admitidos en la segunda quincena de junio, y las audiciones son el 4 y el 5 de julio en el auditorio.</p>
<h2>Jurado</h2><p>Preside el jurado la violonchelista Amparo Ledesma. Lo forman también Iker Solana, Rosa Quintanilla y el director de la banda municipal.</p></div>
<nav class="pagenavigation" aria-label="Paginación"><span class="pagination ms-0"><a class="btn btn-sm btn-secondary previous" href="/index.php/becas?start={start}">Anterior</a></span></nav></div></main></div>
<div class="grid-child container-sidebar-right"><div class="sidebar-right card"><h3 class="card-header">Inicio de sesión</h3><form id="login-form-{form}" class="mod-login" action="/index.php" method="post"><input type="text" name="username" placeholder="Usuario"><input type="hidden" name="return" value="{back}"><input type="hidden" name="{csrf}" value="1"><button type="submit">Entrar</button></form></div>
<div class="sidebar-right card"><h3 class="card-header">¿Quién está en línea?</h3><div class="mod-whosonline"><p>Hay {guests} invitados y ningún miembro en línea</p></div></div>
<div class="sidebar-right card"><h3 class="card-header">Le puede interesar</h3><ul class="mod-articlespopular mostread mod-list">{popular}</ul></div>
<div class="sidebar-right card"><h3 class="card-header">Refrán del día</h3><p>{saying}</p></div><div class="sidebar-right card"><h3 class="card-header">El tiempo</h3><p>{sky}, {degrees} °C</p></div></div></div>
<footer class="container-footer footer full-width"><div class="grid-child"><p>© 2026 Fundación Arroyo Claro. Hoy es {today}. Visitas: {visits}</p></div></footer>
<div class="cookie-notice" id="cn-{form}"><p>Usamos cookies propias para que la página funcione.</p><button>Aceptar</button><button>Rechazar</button></div></body></html>`,
			"asset", n.Hex(6), "csrf", n.Hex(32), "banner", num(n, 1, 20), "form", num(n, 10, 99), "back", n.Hex(30), "start", num(n, 0, 40),
			"slogan", cs.Pick(n, "Cuarenta años al lado de la música", "La música se aprende tocando", "Hazte amigo de la fundación"),
			"hits", num(n, 2000, 9000), "stars", num(n, 3, 6), "votes", num(n, 10, 90),
			"number", cs.Since(n, "doce", cs.At(34, "quince")), "deadline", cs.Since(n, "15 de mayo de 2026", cs.At(1, "22 de mayo de 2026")),
			"guests", num(n, 2, 90),
			"popular", cs.Each(cs.Some(n, 3, "Así suena un violín de 1780", "La banda vuelve a la plaza", "Un paseo por el archivo", "Entrevista con una lutier", "Fotos del último concierto"), func(s string) string {
				return `<li><a href="/index.php/blog/` + num(n, 10, 99) + `?t=` + n.Hex(6) + `">` + s + `</a></li>`
			}),
			"saying", cs.Pick(n.Calmly(), "Más vale tarde que nunca.", "Quien canta, su mal espanta.", "Agua pasada no mueve molino.", "A buen hambre no hay pan duro."),
			"sky", cs.Pick(n.Calmly(), "Soleado", "Nubes y claros", "Chubascos"), "degrees", num(n.Calmly(), 6, 24), "today", today(n, "02/01/2006"), "visits", num(n, 100000, 999999))
	}}
}
