/** An account for whoever opens its link first has no address yet: until then it has one that can never get mail. */

/** RFC 2606 §2: nothing under `.invalid` exists. */
const PLACEHOLDER_DOMAIN = 'setup.invalid'

export const FIRST_ADMINISTRATOR = `first-administrator@${PLACEHOLDER_DOMAIN}`

/** Whether an address stands for one that is not known yet, in any letter case. Nothing is mailed there. */
export const isPlaceholderAddress = (email: string): boolean =>
  email.toLowerCase().endsWith(`@${PLACEHOLDER_DOMAIN}`)
