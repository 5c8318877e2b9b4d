#!/usr/bin/env node
// The entry file of the command, in plain JavaScript so that Node can run it without a build. It bundles the
// program if one of its files has changed, then starts it.
import { loadProgram } from '../typescript/load-program.js'
import { allocateYoung, limitHeapGrowth, optimizeAfterStart } from './v8-settings.js'

allocateYoung()
if (process.argv[2] === 'up') {
  limitHeapGrowth()
  optimizeAfterStart()
}
const { main } = await loadProgram(new URL('./command-line.ts', import.meta.url), process.argv[2])
await main(process.argv)
