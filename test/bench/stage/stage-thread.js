// The first file of a worker thread. It imports the compiled program, which runs its share of the stage as often as it is told to.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runShares } = await importTypeScript(new URL('./stage-thread.ts', import.meta.url))
runShares()
