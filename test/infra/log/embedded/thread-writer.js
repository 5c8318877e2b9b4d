// Plain JavaScript: it imports the compiled program of the thread.
import { importTypeScript } from '../../../../infra/typescript/import.js'

await importTypeScript(new URL('./thread-writer.ts', import.meta.url))
