/** Set when the console is bundled: whether it has the page that shows the kit. */
declare const WITH_KIT_PAGE: boolean
