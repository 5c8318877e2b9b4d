// This file is plain JavaScript, so that a thread can start with it. It imports the compiled program of the
// thread.
import { importTypeScript } from '../../../../infra/typescript/import.js'

await importTypeScript(new URL('./thread-writer.ts', import.meta.url))
