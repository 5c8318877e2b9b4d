#!/usr/bin/env node
// This file is plain JavaScript, so that the command needs no build. It bundles the program if a file has changed, then
// starts it.
import { loadProgram } from '../typescript/load-program.js'

const { main } = await loadProgram(new URL('./command-line.ts', import.meta.url), process.argv[2])
await main(process.argv)
