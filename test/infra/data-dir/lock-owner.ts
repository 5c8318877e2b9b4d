/** Locks the directory that the argument names, until it is killed. */
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'

await lockDataDir(process.argv[2] ?? '')
console.log('locked')
setInterval(() => {}, 60_000)
