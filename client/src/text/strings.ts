// What a person reads in the window, by the part of it that shows it.

export const app = {
  slow: "The server is taking long to answer. Nothing is lost; what you write stays here.",
};
