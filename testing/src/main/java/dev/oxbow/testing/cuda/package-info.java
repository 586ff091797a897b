/** What generated CUDA C means, without a card: its lines are evaluated by the documented rules and compared with the interpreter. */
package dev.oxbow.testing.cuda;
