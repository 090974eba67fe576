package org.example.money;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of money in whole cents. */
public record Money(long cents) implements Comparable<Money> {
    private static final Pattern TEXT = Pattern.compile("(-?)(\\d+)(?:\\.(\\d{2}))?");

    /** Reads texts such as {@code 12}, {@code 12.50} and {@code -0.05}. */
    public static Money parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not an amount: " + text);
        }
        long units = Long.parseLong(matcher.group(2));
        long cents = matcher.group(3) == null ? 0 : Long.parseLong(matcher.group(3));
        long total = Math.addExact(Math.multiplyExact(units, 100), cents);
        return new Money(matcher.group(1).isEmpty() ? total : -total);
    }

    public Money plus(Money other) {
        return new Money(Math.addExact(cents, other.cents));
    }

    public Money negate() {
        return new Money(Math.negateExact(cents));
    }

    /** Shares out into equal parts. */
    public List<Money> split(int parts) {
        if (parts < 1) {
            throw new IllegalArgumentException("parts must be above zero");
        }
        int[] ratios = new int[parts];
        Arrays.fill(ratios, 1);
        return allocate(ratios);
    }

    /** Shares out by ratios. */
    public List<Money> allocate(int... ratios) {
        int total = 0;
        for (int ratio : ratios) {
            if (ratio < 0) {
                throw new IllegalArgumentException("a ratio must not be below zero");
            }
            total += ratio;
        }
        if (total == 0) {
            throw new IllegalArgumentException("the ratios must not all be zero");
        }
        List<Money> shares = new ArrayList<>();
        long left = cents;
        for (int ratio : ratios) {
            long share = cents * ratio / total;
            shares.add(new Money(share));
            left -= share;
        }
        for (int i = 0; i < left; i++) {
            shares.set(i, new Money(shares.get(i).cents + 1));
        }
        return List.copyOf(shares);
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(cents, other.cents);
    }

    @Override
    public String toString() {
        long size = Math.abs(cents);
        return (cents < 0 ? "-" : "") + size / 100 + "." + String.format("%02d", size % 100);
    }
}
