#!/usr/bin/env node
// This file is plain JavaScript, so that the command needs no build. It bundles the program if a file has changed, then
// starts it.
import { setFlagsFromString } from 'node:v8'
import { loadProgram } from '../typescript/load-program.js'

// V8 lets the old memory of a thread grow up to four times before it collects garbage. The service has five threads, so
// it collects earlier. The flag must be set before a bundle is loaded, because the stored code is only for these flags.
if (process.argv[2] === 'up') setFlagsFromString('--heap-growing-percent=30')
const { main } = await loadProgram(new URL('./command-line.ts', import.meta.url), process.argv[2])
await main(process.argv)
