#!/usr/bin/env node
// This file is plain JavaScript, so that the command needs no build. It compiles the TypeScript files that have
// changed, then starts the program.
import { importTypeScript } from '../typescript/import.js'

const { main } = await importTypeScript(new URL('./command-line.ts', import.meta.url))
await main(process.argv)
