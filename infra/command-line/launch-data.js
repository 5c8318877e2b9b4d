#!/usr/bin/env node
// Plain JavaScript, so that the command needs no build: it compiles what has changed, then starts the program.
import { importTypeScript } from '../typescript/import.js'

const { main } = await importTypeScript(new URL('./command-line.ts', import.meta.url))
await main(process.argv)
