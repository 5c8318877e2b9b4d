/**
 * Freezes the schemas as they are now: `npm run release-schemas`. Run it once a change of a schema is meant to stay, and
 * commit the new files with the change. It refuses a change that could not read what is already in somebody's log.
 */
import { currentSchemas, writeReleases } from './released-schemas.ts'

for (const path of writeReleases(currentSchemas)) console.log(path)
