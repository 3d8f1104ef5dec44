/** An unclaimed account has no real address: until enrolment it has a placeholder that can never receive email. */

/** RFC 2606 §2: nothing under `.invalid` exists. */
const PLACEHOLDER_DOMAIN = 'setup.invalid'

export const FIRST_ADMINISTRATOR = `first-administrator@${PLACEHOLDER_DOMAIN}`

/** Whether an address is a placeholder, not case-sensitive. No email is sent there. */
export const isPlaceholderAddress = (email: string): boolean =>
  email.toLowerCase().endsWith(`@${PLACEHOLDER_DOMAIN}`)
