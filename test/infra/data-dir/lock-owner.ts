/** Takes the lock of the directory named on the command line and keeps it until it is killed. */
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'

await lockDataDir(process.argv[2] ?? '')
console.log('locked')
setInterval(() => {}, 60_000)
