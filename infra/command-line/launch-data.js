#!/usr/bin/env node
// The entry file of the command, in plain JavaScript so that Node can run it without a build. It bundles the
// program if one of its files has changed, then starts it.
import { setFlagsFromString } from 'node:v8'
import { loadProgram } from '../typescript/load-program.js'

// V8 lets the old memory of a thread grow up to four times before it collects garbage. The service has several threads, so
// it collects earlier. The flag must be set before a bundle is loaded, because the stored code is only for these flags.
if (process.argv[2] === 'up') setFlagsFromString('--heap-growing-percent=30')
const { main } = await loadProgram(new URL('./command-line.ts', import.meta.url), process.argv[2])
await main(process.argv)
