-- An erased person has no address that could be verified.
update users set email_verified = false where erased;
