/** Most pools that a rug check lists. */
export const rugCheckPoolsMax = 50
