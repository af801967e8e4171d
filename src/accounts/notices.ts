/** An account gets a notice when it has used so many percent of a month's allowance. */
export const noticeThresholds: readonly number[] = [80, 95]
