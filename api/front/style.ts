/** The styles of the front page and of the page of a token, added to the style of all pages. */
import { copyStyle } from '../documents/copy.ts'
import { plotStyle } from './plot.ts'

export const frontStyle = `${copyStyle}
main{max-width:86rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:baseline}
.top h1{margin:0}
.top nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.notice{border:1px solid var(--line);border-left:4px solid var(--mark);padding:.5rem .8rem;margin:1rem 0;background:var(--shade)}
.ages{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding:0;margin:.6rem 0;list-style:none}
h2{margin:2rem 0 .4rem}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1rem}
.columns section{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;min-width:0}
.columns h3{margin:0}
.columns ol,.tape{list-style:none;margin:.4rem 0 0;padding:0}
.columns li,.tape li{padding:.45rem 0;border-top:1px solid var(--line);font-size:.92rem}
.card{display:flex;justify-content:space-between;gap:.5rem}
.facts{color:var(--soft)}
.fill{display:flex;align-items:center;gap:.5rem;color:var(--soft)}
progress{flex:1;height:.5rem;accent-color:var(--mark)}
.name{white-space:nowrap}
.token{display:inline-block;font:.95em ui-monospace,monospace;color:var(--mark);padding:.25rem 0}
.copyit{font:inherit;font-size:.82em;color:var(--soft);background:none;border:1px solid var(--line);border-radius:6px;padding:.1rem .45rem;min-height:1.6rem;cursor:pointer}
.two th{white-space:normal}
.token:focus-visible,.copyit:focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.tag{border:1px solid var(--line);border-radius:999px;padding:0 .5em;font-size:.82em;color:var(--soft);white-space:nowrap}
.seen{border-color:var(--mark);color:var(--mark)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem 2rem}
.two>*{min-width:0}
.chart{width:100%;height:auto;background:var(--shade);border:1px solid var(--line);border-radius:6px}
.chart text{fill:var(--soft);font:11px system-ui,sans-serif}
.chart .rule{stroke:var(--line)}
.won{fill:var(--won)}.lost{fill:var(--lost)}.pulled{fill:var(--pulled)}.open{fill:none;stroke:var(--soft);stroke-width:1.5}
:root{--won:#1a7f37;--lost:#b3261e;--pulled:#7a3fb5}
@media (prefers-color-scheme:dark){:root{--won:#3fb950;--lost:#ff7b72;--pulled:#c297ff}}
.key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.88rem;color:var(--soft);padding:0;list-style:none;margin:.3rem 0}
.key svg{width:.8em;height:.8em;vertical-align:-.05em;margin-right:.3em}
.tapebox{max-height:26rem;overflow:auto}
.number{text-align:right;font-variant-numeric:tabular-nums}
td.number{white-space:nowrap}
.pay summary{padding:.4rem 0;font-weight:600}
@media (max-width:40rem){
 .prices th{display:block;padding:.2rem 0 0;border:0;white-space:normal}
 .prices .number{text-align:left}
 .prices .number::before{content:'USD '}
}
`

export const tokenStyle = `${frontStyle}${plotStyle}
main{max-width:60rem}
#line{min-height:20.6rem}
.u-legend{text-align:left}
.u-legend th{border:0}
.pin{display:inline-block;min-width:.6em;height:1em;border-left:2px dashed var(--mark);padding-left:.2em;line-height:1}
.pin.burst{border-left:2px solid var(--won)}
.pin.pool{border-color:var(--pulled)}
`
