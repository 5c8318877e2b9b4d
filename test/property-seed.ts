/**
 * `npm test` draws the same cases at each run, so that a failure is always due to a change. `PROPERTY_SEED=random` draws others, as
 * `npm run test:all` does; any other value is the seed that a failure printed.
 */
import fc from 'fast-check'

const { PROPERTY_SEED: wanted = '1' } = process.env
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) })
