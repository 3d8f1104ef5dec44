/**
 * Placeholders for the name and address of a user whose personal data was encrypted under a lost secret key.
 * The user remains active, and an administrator can restore name and address.
 */
export const UNREADABLE_NAME = 'Unreadable user'

/** No mail server can have it: RFC 2606 §2 reserves `.invalid`. */
export const unreadableAddress = (userId: string): string =>
  `unreadable+${userId.slice('usr_'.length).toLowerCase()}@invalid`

/** Whether an address is the placeholder of an unreadable one. */
export const isUnreadableAddress = (email: string): boolean =>
  /^unreadable\+[0-9a-z]{26}@invalid$/.test(email)
