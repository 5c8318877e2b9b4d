#!/usr/bin/env node
// Plain JavaScript, so that the command needs no build: it registers the TypeScript loader, then starts the program.
import { register } from 'tsx/esm/api'
import { loadPackages } from './load-packages.js'

await loadPackages(process.argv[2])
register()
const { main } = await import('./command-line.ts')
await main(process.argv)
