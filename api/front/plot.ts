/** The library that draws the price line, as its script and its style. Pages load no other file, so they contain both. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

export const plotScript = readFileSync(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')
export const plotStyle = readFileSync(resolve('uplot/dist/uPlot.min.css'), 'utf8')
