/**
 * The seed of generated requests in the check: the day in UTC as a number, such as 20250131. So each day tries other requests,
 * and all runs of a day the same. The names of the tests tell it.
 */
export const seedOfDay = (): number => Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""))
